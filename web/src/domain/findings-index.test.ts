import { expect, test } from "vitest";
import { kept, pick, placesBy } from "./findings-index";

const list = ["ab", "bc", "cd", "b"];
const places = placesBy(list, (word) => word.split(""));

test.each([
  [["b"], ["ab", "bc", "b"]],
  [["d", "a"], ["ab", "cd"]],
  [["b", "c"], ["ab", "bc", "cd", "b"]],
  [["x"], []],
  [[], []],
])("the things with one of %j, each once and in order", (keys, want) => {
  expect(pick(list, places, keys)).toEqual(want);
});

test("what was made of a list is kept for that list only", () => {
  let made = 0;
  const count = kept((words: readonly string[]) => { made += 1; return words.length; });
  expect([count(list), count(list), count([])]).toEqual([4, 4, 0]);
  expect(made).toBe(2);
});
