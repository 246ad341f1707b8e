// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Finding } from "../domain/finding";
import { findingKeys } from "../domain/finding-words";
import en from "./en";
import type { Messages } from "./merge";
import ru from "./ru";
import zh from "./zh-CN";

type FindingCode = Finding["code"];

const languages: Record<string, Messages> = { en, "zh-CN": zh, ru };

// Translated by code: in English the server's own sentence is shown.
const byCode = /^(?:problem|finding|issue|placement\.says|doctor\.says|plan\.says)\./;
const plural = /_(?:zero|one|two|few|many|other)$/;

function base(key: string): string {
  return key.replace(plural, "");
}

function forms(messages: Messages): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const key of Object.keys(messages)) {
    const stem = base(key);
    found.set(stem, (found.get(stem) ?? new Set()).add(key.slice(stem.length + 1)));
  }
  return found;
}

function places(sentence: string): string[] {
  return [...new Set(sentence.match(/\{\{\w+\}\}|<\/?\w+>/g) ?? [])].sort();
}

describe.each(Object.entries(languages))("%s", (locale, messages) => {
  test("has every message, and no other", () => {
    const wanted = [...forms(en).keys()].filter((key) => !byCode.test(key)).sort();
    expect([...forms(messages).keys()].filter((key) => !byCode.test(key)).sort()).toEqual(wanted);
  });

  test("has every plural form that the language needs, and no other", () => {
    const needed = [...new Intl.PluralRules(locale).resolvedOptions().pluralCategories].sort();
    for (const [key, has] of forms(messages)) {
      if (has.has("")) expect([key, ...has]).toEqual([key, ""]);
      else expect([key, ...[...has].sort()]).toEqual([key, ...needed]);
    }
  });

  test("puts the same values into each sentence as English", () => {
    const english = new Map(Object.entries(en).map(([key, sentence]) => [base(key), places(sentence)]));
    for (const [key, sentence] of Object.entries(messages)) {
      const wanted = english.get(base(key));
      if (wanted) expect([key, places(sentence)]).toEqual([key, wanted]);
    }
  });

  test("has no empty message and no key in two files", () => {
    // What the codes of findings mean is loaded apart, and has a test of its own.
    const files = readdirSync(join("src/i18n", locale)).filter((file) => file !== "finding-about.ts");
    const keys = files.flatMap((file) => [...readFileSync(join("src/i18n", locale, file), "utf8").matchAll(/^ {2}"([^"]+)":/gm)].map((match) => match[1]));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    expect(keys.length).toBe(Object.keys(messages).length);
    expect(Object.entries(messages).filter(([, sentence]) => sentence.trim() === "")).toEqual([]);
  });
});

test("zh-CN and ru translate the same codes", () => {
  const codes = (messages: Messages) => [...forms(messages).keys()].filter((key) => byCode.test(key)).sort();
  expect(codes(ru)).toEqual(codes(zh));
});

test("every problem code of the server is translated", () => {
  const source = readFileSync("../internal/httpapi/code.go", "utf8");
  const codes = [...source.matchAll(/^\tcode\w+ += "([a-z_]+)"|^\t"([a-z_]+)": +http\.Status/gm)].map((match) => match[1] ?? match[2] ?? "");
  expect(codes.length).toBeGreaterThan(30);
  const wanted = [...new Set(codes), "network", "slow"].map((code) => `problem.${code}`).sort();
  expect(Object.keys(zh).filter((key) => key.startsWith("problem.")).sort()).toEqual(wanted);
});

test("every code of an issue is translated, as a sentence and as a reason", () => {
  const folder = "../internal/atlas";
  const source = readdirSync(folder).filter((file) => /^[a-z_]+\.go$/.test(file)).map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const codes = [...source.matchAll(/^\tIssue\w+ +(?:IssueCode )?= "([a-z_]+)"/gm)].map((match) => match[1] ?? "");
  expect(codes.length).toBeGreaterThan(15);
  for (const [locale, messages] of Object.entries(languages)) {
    const stems = forms(messages);
    expect([locale, codes.filter((code) => !stems.has(`reason.${code}`) && !stems.has(`reason.vm.${code}`))]).toEqual([locale, []]);
    if (locale !== "en") expect([locale, codes.filter((code) => !stems.has(`issue.${code}`))]).toEqual([locale, []]);
  }
});

interface Wordings {
  codes: { code: string; wordings: { variant?: string; params: string[] }[] }[];
  additions: { word: string; params: string[] }[];
}

describe("sentences of findings", () => {
  // What the server's rules say, written by make generate.
  const said = JSON.parse(readFileSync("src/i18n/finding-wordings.json", "utf8")) as Wordings;
  const wanted = new Map([
    ...said.codes.flatMap(({ code, wordings }) =>
      wordings.map(({ variant, params }): [string, string[]] => [findingKeys({ code: code as FindingCode, ...(variant === undefined ? {} : { params: { variant } }) })[0] ?? "", params])),
    ...said.additions.map(({ word, params }): [string, string[]] => [`finding.also.${word}`, params]),
  ]);

  test.each(["zh-CN", "ru"])("%s says each wording of each code, and nothing that the server does not", (locale) => {
    const messages = languages[locale] ?? {};
    const has = Object.keys(messages).filter((key) => key.startsWith("finding.") && !key.startsWith("finding.title."));
    expect(wanted.size).toBeGreaterThan(100);
    expect(has.sort()).toEqual([...wanted.keys()].sort());
    for (const key of has) {
      const values = places(messages[key] ?? "").map((place) => place.replace(/[{}]/g, ""));
      expect([key, values.filter((value) => !wanted.get(key)?.includes(value))]).toEqual([key, []]);
    }
  });
});

describe("use", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test.") && !/^i18n\//.test(file) && !file.endsWith("schema.d.ts"))
    .map((file) => readFileSync(join("src", file), "utf8"));
  const text = sources.join("\n");
  // A key is a text with a dot in it; a template gives the beginning of several keys.
  const literals = new Set([...text.matchAll(/["'`]([a-z][\w-]*\.[\w.-]+)["'`]/g)].map((match) => match[1] ?? ""));
  const beginnings = [...new Set([...text.matchAll(/`([a-z][\w-]*\.[\w.]*)\$\{/g)].map((match) => match[1] ?? ""))];

  test("no message is left over", () => {
    const unused = [...forms(en).keys()].filter(
      (key) => !byCode.test(key) && !literals.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)),
    );
    expect(unused).toEqual([]);
  });

  test("no message is missing", () => {
    const stems = forms(en);
    const used = [...text.matchAll(/\bt\(\s*["'`]([^"'`$]+)["'`]/g)].map((match) => match[1] ?? "");
    expect(used.length).toBeGreaterThan(20);
    expect([...new Set(used)].filter((key) => !stems.has(key))).toEqual([]);
    expect(beginnings.filter((beginning) => !byCode.test(beginning) && ![...stems.keys()].some((key) => key.startsWith(beginning)))).toEqual([]);
  });
});
