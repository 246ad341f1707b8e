import { expect, test } from "vitest";
import { matches } from "./search";

test.each([
  ["", true],
  ["  ", true],
  ["3090", true],
  ["RTX pve", true],
  ["rtx 4090", false],
  ["01:00", true],
])("%j: %s", (search, want) => {
  expect(matches(search, ["GeForce RTX 3090", "0000:01:00.0", null, "pve-a"])).toBe(want);
});
