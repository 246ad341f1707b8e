import type { components } from "../api/schema";

type Schemas = components["schemas"];
export type Plan = Schemas["Plan"];
export type Outline = Schemas["Outline"];
export type Intent = Schemas["Intent"];
export type PlanStep = Schemas["AnswerStep"];
export type PlanNote = Schemas["AnswerNote"];
export type Need = Schemas["AnswerNeed"];
export type PlannedMapping = Schemas["AnswerMapping"];
export type PlannedLine = Schemas["AnswerLine"];
export type StepResult = Schemas["StepResult"];

/** One line of what changes: taken away, put there, or kept. */
export interface DiffLine {
  sign: "-" | "+" | "=";
  parts: readonly DiffPart[];
}

export interface DiffPart {
  text: string;
  /** It is not in what was before. */
  strong: boolean;
}

/** A hostpci line before and after, with what is new in it. */
export function lineDiff({ slot, before, after }: Pick<PlannedLine, "slot" | "before" | "after">): DiffLine[] {
  const old = before.split(",");
  const parts = after.split(",").map((option): DiffPart => ({ text: option, strong: !old.includes(option) }));
  return [
    { sign: "-", parts: [plain(`${slot}: ${before}`)] },
    { sign: "+", parts: [plain(`${slot}: `), ...parts.flatMap((part, at) => (at === 0 ? [part] : [plain(","), part]))] },
  ];
}

function plain(text: string): DiffPart {
  return { text, strong: false };
}

/** The entries and properties of a mapping before and after; null: there is none. */
export function mappingDiff(before: PlannedMapping | null, after: PlannedMapping | null): DiffLine[] {
  const lines: DiffLine[] = [];
  for (const name of ["description", "mdev", "live_migration"] as const) {
    const [old, now] = [wordOf(before?.[name]), wordOf(after?.[name])];
    if (old === now) continue;
    const key = name.replace("live_migration", "live-migration-capable");
    if (old !== null) lines.push({ sign: "-", parts: [plain(`${key}: ${old}`)] });
    if (now !== null) lines.push({ sign: "+", parts: [plain(`${key}: ${now}`)] });
  }
  return [...lines, ...listDiff(before?.map ?? [], after?.map ?? [])];
}

function wordOf(value: string | boolean | null | undefined): string | null {
  if (value === null || value === undefined || value === "") return null;
  return typeof value === "string" ? value : value ? "1" : "0";
}

/** Two lists as one: what is kept stays in its order, and what moved is taken away and put there. */
function listDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common = longestCommon(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const kept of [...common, null]) {
    while (i < before.length && before[i] !== kept) lines.push({ sign: "-", parts: [plain(before[i++] ?? "")] });
    while (j < after.length && after[j] !== kept) lines.push({ sign: "+", parts: [plain(after[j++] ?? "")] });
    if (kept !== null) lines.push({ sign: "=", parts: [plain(kept)] });
    [i, j] = [i + 1, j + 1];
  }
  return lines;
}

function longestCommon(a: readonly string[], b: readonly string[]): string[] {
  const length = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => length[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = length[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      common.push(a[i] ?? "");
      [i, j] = [i + 1, j + 1];
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

/** What the functions beside a line are: the same before and after, those before, or those after. */
export function functionsAre(plan: Outline, step: PlanStep, line: PlannedLine): "same" | "before" | "after" {
  if (plan.intent.kind === "fix") return "after";
  const differ = plan.notes.some(({ code, params }) =>
    (code === "functions_differ" || code === "may_get_another") && params["vmid"] === String(step.vmid) && params["slot"] === line.slot);
  return differ ? "before" : "same";
}

/** How much a note weighs: what stops, what is risked, what is only to be known. */
export function noteSeverity(note: PlanNote): "error" | "warning" | "info" {
  if (note.stops) return "error";
  const risky = note.forceable || note.code === "file_loses_lines" || note.code === "may_get_another";
  return risky ? "warning" : "info";
}

/** Whether force would let the plan be applied; with it, whether it is what lets it. */
export function canForce({ notes }: Pick<Outline, "notes">): boolean {
  return notes.some(({ forceable }) => forceable) && notes.every(({ stops, forceable }) => !stops || forceable);
}

/** The findings that no note says already. */
export function furtherFindings({ notes, findings }: Outline): Outline["findings"] {
  const refused = notes.some(({ code }) => code === "request_refused");
  return findings.filter(({ code }) => code !== "mapping-request-refused" || !refused);
}

/** The ways to do what a plan says. */
export type Way = "commands" | "token" | "root";

/** The ways that the present rights leave: allowed says whether somebody may apply plans at all. */
export function waysOf(plan: Pick<Plan, "changes" | "root_only" | "may">, allowed: boolean): readonly Way[] {
  if (!plan.changes || !allowed) return ["commands"];
  return plan.root_only || plan.may === false ? ["commands", "root"] : ["commands", "token", "root"];
}

/** The way that works with the present rights for certain. */
export function firstWay(plan: Pick<Plan, "may">, ways: readonly Way[]): Way {
  return plan.may === true && ways.includes("token") ? "token" : "commands";
}

/** The numbers of the steps that send something, those in a row as one. */
export function writingSteps(steps: readonly PlanStep[]): string[] {
  const runs: [number, number][] = [];
  for (const [index, step] of steps.entries()) {
    if (step.request === null) continue;
    const last = runs.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else runs.push([index + 1, index + 1]);
  }
  return runs.flatMap(([from, to]) => (to - from > 1 ? [`${from}–${to}`] : from === to ? [String(from)] : [String(from), String(to)]));
}

/** The nodes whose shell the commands are for; none: any node does. */
export function nodesOf(steps: readonly PlanStep[]): string[] {
  return [...new Set(steps.flatMap(({ action, node }) => (action === "set_vm" && node !== null ? [node] : [])))];
}

/** Whether all that was to be sent is done. */
export function isGood({ outcome }: Pick<StepResult, "outcome">): boolean {
  return outcome === "done" || outcome === "already" || outcome === "yours";
}

/** The class of a function as its message is called, like 0403; null: there are no words for it. */
export function functionClass(code: string): string | null {
  const short = code.replace(/^0x/, "").slice(0, 4);
  return functionClasses.includes(short) ? short : null;
}

/** The classes of functions that there are words for. */
export const functionClasses: readonly string[] = ["0108", "0200", "0300", "0302", "0380", "0403", "0c03", "0c80", "1200"];
