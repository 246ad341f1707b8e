import { expect, test } from "vitest";
import { changesOf, dayStart } from "./audit";

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
