import { expect, test } from "vitest";
import { isolated } from "./bidi";

test.each([
  ["a plain name", "win10-test", "win10-test"],
  ["letters with marks", "e\u0301tude \u4f60\u597d", "e\u0301tude \u4f60\u597d"],
  ["Hebrew", "\u05d0\u05d1", "\u2068\u05d0\u05d1\u2069"],
  ["an override that is never ended", "a\u202egnp", "\u2068a\u202egnp\u2069"],
  ["an isolation that is never ended", "a\u2067b", "\u2068a\u2067b\u2069\u2069"],
  ["an end too many", "a\u2069\u202eb", "\u2068a\u202eb\u2069"],
  ["a whole isolation", "a\u2066b\u2069c", "\u2068a\u2066b\u2069c\u2069"],
])("%s", (_, name, told) => {
  expect(isolated(name)).toBe(told);
});
