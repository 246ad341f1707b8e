import { expect, test } from "vitest";
import { administratorChange } from "./administrator";
import { roleOf, rolesUpTo } from "./role";

const old = { role: "operator", subject: "https://id|7" } as const;

test.each([
  ["nothing", old, { role: "operator", password: "", subject: "https://id|7" }, {}],
  ["a role", old, { role: "admin", password: "", subject: " https://id|7 " }, { role: "admin" }],
  ["a password", old, { role: "operator", password: "a long password", subject: "https://id|7" }, { password: "a long password" }],
  ["no subject any more", old, { role: "operator", password: "", subject: "" }, { subject: "" }],
  ["somebody new", null, { role: "auditor", password: "a long password", subject: "" }, { role: "auditor", password: "a long password" }],
] as const)("%s", (_, before, draft, want) => {
  expect(administratorChange(before, draft)).toEqual(want);
});

test("roles", () => {
  expect(rolesUpTo("operator")).toEqual(["auditor", "operator"]);
  expect(roleOf("root")).toBe("auditor");
});
