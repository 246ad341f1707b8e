import { expect, test } from "vitest";
import { toCsv } from "./export";

const columns = [
  { title: "name", cell: (row: { name: string | null }) => row.name },
  { title: "n", cell: () => -1 },
];

test.each([
  ["plain", "plain"],
  ['a "b", c', '"a ""b"", c"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["@x", "'@x"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["\t=1", "'\t=1"],
  ["\n=1", "\"'\n=1\""],
  ["\uff1d1", "'\uff1d1"],
  ["\u202egpj", "\u202egpj"],
  [null, ""],
])("%j", (name, want) => {
  expect(toCsv(columns, [{ name }])).toBe(`\uFEFFname,n\r\n${want},-1\r\n`);
});
