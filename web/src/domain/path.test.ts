import { expect, test } from "vitest";
import { safeBack } from "./path";

test.each([
  ["/gpus?node=pve-a&device=0000%3A01%3A00.0", "/gpus?node=pve-a&device=0000%3A01%3A00.0"],
  ["/", "/"],
  ["//evil.example/x", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/sign-in?back=/x", "/"],
  ["/setup#token", "/"],
  ["/setups", "/setups"],
  [undefined, "/"],
  [7, "/"],
])("%s leads back to %s", (back, want) => {
  expect(safeBack(back)).toBe(want);
});
