import { expect, test } from "vitest";
import { formOfAnswer, misfit, type Form } from "./shape";

const schemas: Record<string, Form> = {
  Card: { name: "s", group: "?n", read_at: "t", tags: "[s", limits: "{n", "note?": "s", any: "*" },
};
const card = { name: "a", group: 1, read_at: "2026-11-30T10:00:00Z", tags: ["x"], limits: { one: 1 }, any: [1] };

test.each<[string, unknown, string | null]>([
  ["what the form says", [card], null],
  ["what may be null or absent", [{ ...card, group: null }], null],
  ["a field that it does not know", [{ ...card, more: 1 }], null],
  ["a text for a number", [card, { ...card, group: "1" }], "[1].group"],
  ["a number for a text", [{ ...card, name: 1 }], "[0].name"],
  ["a time that is none", [{ ...card, read_at: "yesterday-ish" }], "[0].read_at"],
  ["null where there has to be something", [{ ...card, name: null }], "[0].name"],
  ["a field that is missing", [{ ...card, tags: undefined }], "[0].tags"],
  ["an object for a list", [{ ...card, tags: {} }], "[0].tags"],
  ["a list of something else", [{ ...card, tags: ["x", 2] }], "[0].tags[1]"],
  ["named values of something else", [{ ...card, limits: { one: "1" } }], "[0].limits.one"],
  ["a list for an object", [[]], "[0]"],
  ["a wrong value that may be absent", [{ ...card, note: null }], "[0].note"],
  ["null for all of it", null, ""],
])("%s", (_, value, place) => {
  expect(misfit(value, "[#Card", schemas)).toBe(place);
});

test("the forms of the server's answers are known", () => {
  expect(formOfAnswer("get /api/v1/clusters")).toBe("#Clusters");
  expect(formOfAnswer("delete /api/v1/session")).toBeNull();
  expect(misfit({ clusters: [] }, "#Clusters")).toBeNull();
  expect(misfit({ clusters: null }, "#Clusters")).toBe("clusters");
});
