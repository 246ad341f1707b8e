// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadAbout } from "./about";
import type { Messages } from "./merge";

const schema = readFileSync("src/api/schema.d.ts", "utf8");
const docs = readFileSync("../docs/findings.md", "utf8");
const codes = [...(/FindingCode: \{[^]*?\bcode: ([^;]*);/.exec(schema)?.[1] ?? "").matchAll(/"([\w-]+)"/g)].map((match) => match[1] ?? "");
const families = [...docs.matchAll(/^## (.*)$/gm)].map((match) => match[1] ?? "")
  .filter((title) => !["To come", "Sentences that may follow"].includes(title));

/** What the document says about each code, by part. */
const told = new Map(docs.split(/^### /m).slice(1).map((text) => [text.slice(0, text.indexOf("\n")), {
  severity: part(text, "Severity"), when: part(text, "When"), why: part(text, "Why"), todo: part(text, "What to do"),
}]));

function part(text: string, name: string): string {
  return new RegExp(`^\\*\\*${name}\\.\\*\\* (.*)$`, "m").exec(text)?.[1] ?? "";
}

/** What no language changes: quoted messages, numbers, options, paths, addresses and codes. */
function facts(text: string): string[] {
  const quoted = [...text.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  const named = text.match(/[\w-]+=[\w-]+|\/[\w/.-]*\w|\b\d[\w:.]*\w\b|\d+|\blegacy-[\w-]+|\bmdev-and-whole\b|(?:qm|lspci|pvesh|dmesg) [^,.;)]*\b/g) ?? [];
  return [...quoted, ...named.map((fact) => fact.replace(/ (?:and|with|accepts|or) .*$|, or .*$/, ""))];
}

test("every code and family is known here", () => {
  expect(codes.length).toBeGreaterThan(60);
  expect([...told.keys()].filter((code) => !codes.includes(code))).toEqual([]);
  expect(codes.filter((code) => !told.has(code) && !docs.includes(`| \`${code}\` |`))).toEqual([]);
  expect(families.length).toBeGreaterThan(5);
});

test("English is the server's own", async () => {
  expect(await loadAbout("en")).toEqual({});
});

describe.each(["zh-CN", "ru"] as const)("%s", async (locale) => {
  const messages: Messages = await loadAbout(locale);

  test("explains every code and family, and no other", () => {
    const cases = [...told].filter(([, { severity }]) => !/^\w+\.$/.test(severity)).map(([code]) => `finding.severity.${code}`);
    const wanted = [
      ...families.map((title) => `finding.family.${title}`), ...cases,
      ...codes.flatMap((code) => ["when", "why", "todo"].map((name) => `finding.${name}.${code}`)),
    ];
    expect(Object.keys(messages).sort()).toEqual(wanted.sort());
    expect(Object.entries(messages).filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  test("keeps what Proxmox VE says, and every number, option, path and command", () => {
    const lost = [...told].flatMap(([code, parts]) => Object.entries(parts).flatMap(([name, text]) => {
      const own = messages[`finding.${name}.${code}`];
      return own === undefined ? [] : facts(text).filter((fact) => !own.includes(fact)).map((fact) => `${name} ${code}: ${fact}`);
    }));
    expect(lost).toEqual([]);
  });

  test("is written in the letters of its language", () => {
    const letters = locale === "ru" ? /\p{Script=Cyrillic}/u : /\p{Script=Han}/u;
    expect(Object.entries(messages).filter(([, text]) => !letters.test(text))).toEqual([]);
  });
});
