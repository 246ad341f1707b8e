// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { saidKey } from "../domain/placing";
import en from "./en";
import type { Messages } from "./merge";
import ru from "./ru";
import zh from "./zh-CN";

const languages: Record<string, Messages> = { en, "zh-CN": zh, ru };

interface Wording {
  code: string;
  variant?: string;
  params: string[];
}

// What the server says, written by make generate.
const said = JSON.parse(readFileSync("src/i18n/placing-wordings.json", "utf8")) as
  { reasons: Wording[]; readings: Wording[]; fixes: string[]; good: string[] };

const schema = readFileSync("src/api/schema.d.ts", "utf8");

/** The words of a field that is a closed list. */
function wordsOf(type: string, field: string): string[] {
  const fields = new RegExp(`\\n {8}${type}: \\{([^]*?)\\n {8}\\};`).exec(schema)?.[1] ?? "";
  const list = new RegExp(`\\b${field}: ([^;]*);`).exec(fields)?.[1] ?? "";
  return [...list.matchAll(/"([\w-]+)"/g)].map((match) => match[1] ?? "");
}

function keyOf(area: "placement" | "doctor", { code, variant }: Wording): string {
  return saidKey(area, { code, params: variant === undefined ? {} : { variant } });
}

function stems(messages: Messages, beginning: string): string[] {
  return [...new Set(Object.keys(messages).filter((key) => key.startsWith(beginning)).map((key) => key.slice(beginning.length).replace(/_(?:one|few|many|other)$/, "")))].sort();
}

const sentences = new Map([
  ...said.reasons.map((wording): [string, string[]] => [keyOf("placement", wording), wording.params]),
  ...said.readings.map((wording): [string, string[]] => [keyOf("doctor", wording), wording.params]),
]);

test("the lists are those of the answers", () => {
  expect(said.reasons.length).toBeGreaterThan(40);
  expect(said.readings.length).toBeGreaterThan(45);
  expect(wordsOf("AnswerReason", "code").sort()).toEqual([...new Set(said.reasons.map(({ code }) => code))].sort());
  expect(wordsOf("AnswerReading", "code").sort()).toEqual(said.readings.map(({ code }) => code).sort());
  expect(wordsOf("AnswerFix", "code").sort()).toEqual([...said.fixes].sort());
  expect(wordsOf("AnswerCheck", "good_code").filter((word) => word !== "null").sort()).toEqual([...said.good].sort());
});

describe.each(["zh-CN", "ru"])("%s", (locale) => {
  const messages = languages[locale] ?? {};

  // In English the server's own sentence is shown.
  test("says each reason and each reading, and nothing that the server does not", () => {
    const has = Object.keys(messages).filter((key) => /^(?:placement|doctor)\.says\./.test(key)).sort();
    expect(has).toEqual([...sentences.keys()].sort());
    for (const key of has) {
      const values = [...(messages[key] ?? "").matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
      expect([key, values.filter((value) => !sentences.get(key)?.includes(value))]).toEqual([key, []]);
    }
  });
});

describe.each(Object.entries(languages))("%s", (_, messages) => {
  test.each([
    ["placement.verdict.", "AnswerNode", "verdict"],
    ["placement.moves.", "AnswerMove", "verdict"],
    ["placement.move.", "AnswerMove", "code"],
    ["doctor.check.", "AnswerCheck", "code"],
    ["doctor.state.", "AnswerCheck", "state"],
    ["doctor.good.", "AnswerCheck", "good_code"],
    ["doctor.fix.", "AnswerFix", "code"],
  ])("names each word of %s", (beginning, type, field) => {
    const words = wordsOf(type, field).filter((word) => word !== "null").sort();
    expect(words.length).toBeGreaterThan(2);
    expect(stems(messages, beginning)).toEqual(words);
  });

  test("tells what would show what is not known", () => {
    const source = readFileSync("../internal/placement/code.go", "utf8");
    const open = /What is open[^]*?const \(([^]*?)\n\)/.exec(source)?.[1] ?? "";
    const codes = [...open.matchAll(/"(\w+)"/g)].map((match) => match[1] ?? "");
    expect(codes.length).toBeGreaterThan(15);
    expect(stems(messages, "placement.fix.")).toEqual([...codes, "romfile_unseen"].sort());
  });
});
