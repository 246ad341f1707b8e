import { expect, test } from "vitest";
import { ageOf } from "./age";

test.each([
  [-5000, "age.now", {}],
  [999, "age.now", {}],
  [14_999, "age.seconds", { s: 14 }],
  [60_000, "age.minutes", { m: 1, s: 0 }],
  [252_000, "age.minutes", { m: 4, s: 12 }],
  [3_660_000, "age.hours", { h: 1, m: 1 }],
  [90_000_000, "age.days", { d: 1, h: 1 }],
])("%d ms", (milliseconds, key, params) => {
  expect(ageOf(milliseconds)).toEqual({ key, params });
});
