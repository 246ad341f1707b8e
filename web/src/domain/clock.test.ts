import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asServerTime, serverNow, setServerTime } from "./clock";

const noon = Date.parse("2026-11-30T12:00:00Z");

beforeEach(() => { vi.useFakeTimers({ now: noon }); });
afterEach(() => { vi.useRealTimers(); });

test("the server's clock counts, not the one here", () => {
  setServerTime("Mon, 30 Nov 2026 13:00:00 GMT");
  expect(serverNow()).toBe(noon + 3_600_000);
  vi.advanceTimersByTime(5000);
  expect(serverNow()).toBe(noon + 3_605_000);
  expect(asServerTime(noon)).toBe(noon + 3_600_000);
  expect(asServerTime(null)).toBeNull();
});

test("a machine that slept is not taken for one that did not", () => {
  setServerTime("Mon, 30 Nov 2026 12:00:00 GMT");
  vi.setSystemTime(noon + 600_000);
  expect(serverNow()).toBe(noon + 600_000);
});

test("a clock that is set back makes nothing younger", () => {
  setServerTime("Mon, 30 Nov 2026 12:00:00 GMT");
  vi.advanceTimersByTime(60_000);
  vi.setSystemTime(noon - 3_600_000);
  expect(serverNow()).toBeGreaterThanOrEqual(noon + 60_000);
});

test("what is no time is not taken", () => {
  setServerTime("Mon, 30 Nov 2026 12:00:00 GMT");
  setServerTime(null);
  setServerTime("soon");
  expect(serverNow()).toBe(noon);
});
