// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { shapesOf, written } from "../../scripts/shapes.mjs";

test("shapes.json is what schema.d.ts gives: npm run types writes both", { timeout: 60_000 }, () => {
  const schema = readFileSync(new URL("./schema.d.ts", import.meta.url), "utf8");
  expect(readFileSync(new URL("./shapes.json", import.meta.url), "utf8")).toBe(written(shapesOf(schema)));
});
