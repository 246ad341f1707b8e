// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { functionClasses } from "../domain/plan";
import en from "./en";
import type { Messages } from "./merge";
import ru from "./ru";
import zh from "./zh-CN";

const schema = readFileSync("src/api/schema.d.ts", "utf8");

/** The words that a property of a schema may have, in what is generated of the API's document. */
function wordsOf(name: string, property: string): string[] {
  const body = new RegExp(`\\n {8}${name}: \\{\\n([\\s\\S]*?)\\n {8}\\};`).exec(schema)?.[1] ?? "";
  const line = new RegExp(`\\n {12}${property}\\??: ([^;]*);`).exec(`\n${body}`)?.[1] ?? "";
  return [...line.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
}

const families: [string, string[]][] = [
  ["plan.says.", wordsOf("AnswerNote", "code")],
  ["plan.action.", wordsOf("AnswerStep", "action")],
  ["plan.guard.", wordsOf("AnswerStep", "guard")],
  ["plan.root.", wordsOf("AnswerNeed", "root_only")],
  ["plan.outcome.", wordsOf("StepResult", "outcome")],
  ["plan.outcome_says.", wordsOf("StepResult", "outcome")],
  ["plan.class.", [...functionClasses]],
];

const kinds: Record<string, string[]> = {
  create: ["create"], change: ["change"], delete: ["delete"], convert: ["convert"], fix: ["fix_mapping", "fix_vms"],
};

describe.each(Object.entries({ en, "zh-CN": zh, ru } satisfies Record<string, Messages>))("%s", (locale, messages) => {
  const stems = new Set(Object.keys(messages).map((key) => key.replace(/_(?:one|few|many|other)$/, "")));

  test.each(families)("%s has words for each code of the API", (family, codes) => {
    expect(codes.length).toBeGreaterThan(1);
    // In English the notes of a plan are the server's own sentences.
    if (locale !== "en" || family !== "plan.says.") expect(codes.filter((code) => !stems.has(family + code))).toEqual([]);
  });

  test("every kind of plan has a title", () => {
    const known = wordsOf("Intent", "kind");
    expect(known.sort()).toEqual(Object.keys(kinds).sort());
    expect(known.flatMap((kind) => kinds[kind] ?? []).filter((kind) => !stems.has(`plan.title.${kind}`))).toEqual([]);
  });

  test("both findings of plans are told", () => {
    const wanted = ["mapping-request-refused", "mapping-changed-while-running.changes", "mapping-changed-while-running.deletes"];
    if (locale !== "en") expect(wanted.filter((code) => !stems.has(`plan.says.finding.${code}`))).toEqual([]);
  });
});

test("notes name only what the server tells of them", () => {
  // Of each code, all the params that it may have; what a note lacks would be an empty place in its sentence.
  const told: Record<string, readonly string[]> = {
    nothing_to_do: [], mapping_in_use: ["mapping", "count"], users_not_all_read: ["mapping"], mappings_not_read: [], mappings_may_be_hidden: ["mapping"],
    mapping_not_there: ["mapping"], no_entry_for_node: ["vmid", "node", "slot", "mapping"], entry_does_not_fit: ["mapping", "node", "entry", "path", "message"],
    entry_not_compared: ["mapping", "node", "entry", "path"], vm_not_there: ["vmid"], vm_not_read: ["vmid"], vm_locked: ["vmid", "lock"],
    device_not_there: ["node", "address"], devices_not_read: ["node"], functions_differ: ["vmid", "node", "slot", "mapping", "before", "after"],
    may_get_another: ["vmid", "node", "slot", "mapping", "count", "before"], no_valid_entry: ["vmid", "node", "slot", "before"],
    line_not_understood: ["vmid", "node", "slot"], snapshot_holds_line: ["vmid", "snapshot"], old_address_not_found: ["node", "address"],
    request_refused: ["mapping", "message"], new_device_differs: ["mapping", "node", "from", "to", "before", "after"], file_loses_lines: ["count"],
    vm_loses_lines: ["vmid", "node", "lines"], live_flag: ["vmid", "node", "slot", "mapping"], size_differs: ["node", "slot", "before", "after"],
  };
  for (const messages of [zh, ru] as Messages[]) {
    for (const [key, sentence] of Object.entries(messages)) {
      const code = /^plan\.says\.([a-z_]+?)(?:_(?:one|few|many|other))?$/.exec(key)?.[1];
      if (code === undefined) continue;
      const places = [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
      expect([key, places.filter((place) => !told[code]?.includes(place))]).toEqual([key, []]);
    }
  }
});
