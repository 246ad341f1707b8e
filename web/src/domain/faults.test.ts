import { expect, test } from "vitest";
import { faultAt, lineFaults } from "./faults";

test("a field has the faults of what lies in it", () => {
  const faults = { "entries[0]": "No address.", "entries[2]": "No address.", "tls.fingerprints[0]": "Not 32 bytes.", entriesmore: "Another." };
  expect(faultAt(faults, "entries")).toBe("No address.");
  expect(faultAt(faults, "tls.fingerprints")).toBe("Not 32 bytes.");
  expect(faultAt(faults, "tls")).toBe("Not 32 bytes.");
  expect(faultAt(faults, "name")).toBeUndefined();
});

test("faults of a file stand in the order of its lines", () => {
  expect(lineFaults([
    { field: "line 10", message: "b" },
    { field: "line 2", message: "a" },
    { field: "", message: "whole" },
  ])).toEqual([
    { line: null, message: "whole" },
    { line: 2, message: "a" },
    { line: 10, message: "b" },
  ]);
});
