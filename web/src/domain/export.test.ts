import { expect, test } from "vitest";
import { fileName, listCsv, listJson, listScope, toCsv } from "./export";

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

test("a file of a list that is not whole says so in its name and in each of its lines", () => {
  const scope = listScope(["lab/pve-d: node_unreachable"], { q: "a", node: undefined, entry: 7 });
  expect(scope).toEqual({ complete: false, because: ["lab/pve-d: node_unreachable"], filter: { q: "a", entry: "7" } });
  expect(fileName("vms", scope, "csv")).toBe("vms-incomplete.csv");
  expect(listCsv(columns, [{ name: "x" }], scope)).toBe("\uFEFFname,n,list_complete,list_incomplete_because\r\nx,-1,false,lab/pve-d: node_unreachable\r\n");
  expect(JSON.parse(listJson("vms", [], scope))).toMatchObject({ list: "vms", complete: false, incomplete_because: ["lab/pve-d: node_unreachable"], filter: { q: "a" }, rows: [] });
});

test("a file of a whole list says that, too", () => {
  const scope = listScope([], {});
  expect(fileName("vms", scope, "json")).toBe("vms.json");
  expect(listCsv(columns, [{ name: "x" }], scope)).toContain("x,-1,true,\r\n");
  expect(JSON.parse(listJson("vms", [{ a: null }], scope))).toMatchObject({ complete: true, incomplete_because: [], filter: {}, rows: [{ a: null }] });
});
