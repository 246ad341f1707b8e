import { expect, test } from "vitest";
import { changesOf, dayOf, dayStart } from "./audit";

test("what differs is told, in the order of its names", () => {
  expect(changesOf({ role: "auditor", name: "a", limits: { x: 1 } }, { role: "admin", name: "a", limits: { x: 2 }, note: "" })).toEqual([
    { name: "limits", before: '{"x":1}', after: '{"x":2}' },
    { name: "note", before: null, after: "" },
    { name: "role", before: "auditor", after: "admin" },
  ]);
  expect(changesOf(null, null)).toEqual([]);
});

test("a day begins at midnight of the reader", () => {
  expect(dayStart("2026-11-30", 0)).toBe(new Date(2026, 10, 30).toISOString());
  expect(dayStart("2026-11-30", 1)).toBe(new Date(2026, 11, 1).toISOString());
  expect(dayStart("yesterday", 0)).toBeUndefined();
  expect(dayStart(undefined, 1)).toBeUndefined();
});

test("a day that no calendar has is none", () => {
  expect(["2026-11-30", "2028-02-29"].map(dayOf)).toEqual(["2026-11-30", "2028-02-29"]);
  expect(["2026-13-99", "2026-02-30", "2027-02-29", "yesterday", "", "2026-11-30T00:00:00Z", undefined].map(dayOf)).toEqual(Array(7).fill(undefined));
});
