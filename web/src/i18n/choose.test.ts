import { expect, test } from "vitest";
import { chooseLocale } from "./index";

test.each([
  [null, ["de-DE", "zh-TW", "en"], "zh-CN"],
  [null, ["ru-RU"], "ru"],
  [null, ["en-GB", "ru"], "en"],
  [null, ["de", "fr"], "en"],
  [null, [], "en"],
  ["ru", ["zh-CN"], "ru"],
  ["xx", ["zh-CN"], "zh-CN"],
  ["toString", ["ru"], "ru"],
])("stored %s, spoken %j: %s", (stored, spoken, want) => {
  expect(chooseLocale(stored, spoken)).toBe(want);
});
