import { expect, test } from "vitest";
import { filterDesktops, missingDesktops, rowsOfDesktops, tagRules } from "./desktop";

const desktop = (vmid: number, name: string) => ({ vmid, name, note: "", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" });
const lists = [
  { cluster: "lab", told: { desktops: [desktop(100, "CAD"), desktop(101, "Office")] } },
  { cluster: "edge", told: null },
  { cluster: "office", told: { desktops: [desktop(100, "Reception")] } },
];

test("the desktops of all clusters stand in one list, also two of the same number", () => {
  expect(rowsOfDesktops(lists).map((row) => `${row.cluster}/${row.vmid}`)).toEqual(["lab/100", "lab/101", "office/100"]);
  expect(missingDesktops(lists)).toEqual(["edge: not read"]);
});

test.each([["office", ["lab/101", "office/100"]], ["100 cad", ["lab/100"]], ["", ["lab/100", "lab/101", "office/100"]]])("%j finds", (text, want) => {
  expect(filterDesktops(rowsOfDesktops(lists), text).map((row) => `${row.cluster}/${row.vmid}`)).toEqual(want);
});

test("clusters with the same tag have one rule, and one that was not read or has no tag has none", () => {
  const told = (desktop_tag: string | null) => ({ desktop_tag });
  expect(tagRules([
    { cluster: "edge", told: null }, { cluster: "lab", told: told("vdi") }, { cluster: "office", told: told("desk") },
    { cluster: "plant", told: told("vdi") }, { cluster: "yard", told: told(null) },
  ])).toEqual([{ tag: "vdi", clusters: ["lab", "plant"] }, { tag: "desk", clusters: ["office"] }]);
});
