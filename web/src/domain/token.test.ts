import { expect, test } from "vitest";
import { expiryOf } from "./token";

test("a token ends so many days from now, or never", () => {
  const now = Date.parse("2026-02-27T10:00:00Z");
  expect(expiryOf("30", now)).toBe("2026-03-29T10:00:00.000Z");
  expect(expiryOf("", now)).toBeNull();
  expect(expiryOf("soon", now)).toBeNull();
});
