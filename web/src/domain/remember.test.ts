import { expect, test } from "vitest";
import { remember } from "./remember";

test("each message is asked for once for each of its values", () => {
  const asked: string[] = [];
  const say = remember((key, values) => {
    const words = `${key} ${String(values?.["n"] ?? "")}`;
    asked.push(words);
    return words;
  });
  expect([say("a"), say("a", { n: 1 }), say("a", { n: 2 }), say("a"), say("a", { n: 1 }), say("b")]).toEqual(["a ", "a 1", "a 2", "a ", "a 1", "b "]);
  expect(asked).toEqual(["a ", "a 1", "a 2", "b "]);
});
