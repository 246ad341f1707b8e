import type { components } from "../api/schema";
import { shortModel } from "./model";
import { hasWords, wordsOf } from "./search";

type Schemas = components["schemas"];
export type Mappings = Schemas["Mappings"];
export type Mapping = Schemas["MatrixMapping"];
export type Cell = Schemas["MatrixCell"];
export type Demand = Schemas["MatrixDemand"];
export type Entry = Schemas["MatrixEntry"];
export type Fault = Schemas["MatrixFault"];
export type Check = Schemas["Check"];
export type Finding = Schemas["Finding"];
export type Verdict = Cell["verdict"];

/** A mapping in a list. */
export interface MappingRow {
  key: string;
  cluster: string;
  mapping: Mapping;
  /** Those about it, the worst first. */
  findings: readonly Finding[];
}

const made = new WeakMap<Mappings, readonly MappingRow[]>();

/** The rows of one answer, by name; none if the list was not read. The same answer gives the same rows. */
export function mappingRows(told: Mappings): readonly MappingRow[] {
  const known = made.get(told);
  if (known) return known;
  const findings = new Map<string, Finding[]>();
  for (const finding of told.findings) {
    const id = finding.subject.mapping ?? "";
    findings.set(id, [...(findings.get(id) ?? []), finding]);
  }
  const rows = (told.mappings ?? []).map((mapping) => ({
    key: mapping.id, cluster: told.cluster, mapping, findings: findings.get(mapping.id) ?? [],
  }));
  made.set(told, rows);
  return rows;
}

/** The findings about names that no mapping of the answer has. */
export function unlistedFindings(told: Mappings): Finding[] {
  const ids = new Set(told.mappings?.map(({ id }) => id));
  return told.findings.filter(({ subject }) => !ids.has(subject.mapping ?? ""));
}

/** The mappings that have each of the words: in name, description, model, path, ids, node or VM. */
export function searchMappings(rows: readonly MappingRow[], text: string): readonly MappingRow[] {
  const words = wordsOf(text);
  return words.length === 0 ? rows : rows.filter(({ mapping }) => hasWords(textOf(mapping), words));
}

function textOf({ id, description, models, cells, users }: Mapping): string {
  return [
    id, description, ...models,
    ...cells.flatMap(({ node, entries }) => entries.flatMap((entry) => [node, entry.path, entry.id, ...(entry.devices ?? []).map(({ address }) => address)])),
    ...users.flatMap(({ vmid, name }) => [`vm ${vmid}`, name]),
  ].join("\n").toLowerCase();
}

/** A name of the PCI database, as short as it stays known. */
export function shortName(name: string): string {
  return shortModel({ vendor_id: "", vendor_name: null, device_id: "", device_name: name });
}

/** An entry with the node that it is for, and what Proxmox VE says of it. */
export interface EntryRow {
  entry: Entry;
  cell: Cell;
  remark: Remark;
}

/**
 * What Proxmox VE's own check says of one entry. It answers by node: a sentence belongs to
 * the entry whose fault it tells; `elsewhere`: there is one that belongs to no fault of ours.
 */
export type Remark = { kind: "not_asked" | "not_read" | "none" | "elsewhere" } | { kind: "fault"; fault: Fault };

/** All entries of a mapping by number. */
export function entryRows({ cells }: Mapping): EntryRow[] {
  return cells
    .flatMap((cell) => cell.entries.map((entry) => ({ entry, cell, remark: remarkOf(cell, entry) })))
    .sort((a, b) => a.entry.number - b.entry.number);
}

function remarkOf(cell: Cell, entry: Entry): Remark {
  if (cell.pve_checks === null) return { kind: silence(cell) };
  const fault = entry.faults.find(({ message }) => cell.pve_checks?.some((check) => tells(check, message)));
  if (fault) return { kind: "fault", fault };
  const others = cell.entries.flatMap(({ faults }) => faults.map(({ message }) => message));
  const rest = cell.pve_checks.filter((check) => !others.some((message) => tells(check, message)));
  return { kind: rest.length > 0 ? "elsewhere" : "none" };
}

function tells(check: Check, message: string): boolean {
  return check.message.trimEnd().endsWith(message.trimEnd());
}

function silence({ pve_read: read }: Cell): "not_asked" | "not_read" {
  return read === "not_asked" ? "not_asked" : "not_read";
}

/** What Proxmox VE says of one node or of several nodes alike, beside our verdict. */
export interface PVELine {
  nodes: readonly string[];
  /** When it was asked; null: not told. */
  at: string | null;
  kind: "said" | "no_remark" | "not_asked" | "not_read";
  checks: readonly Check[];
  /** null: one of both says nothing. */
  agrees: boolean | null;
}

/**
 * What Proxmox VE's check says of the nodes that have entries, and of those without where
 * it differs from ours. Nodes of which it says nothing stand together.
 */
export function pveLines({ cells }: Mapping): PVELine[] {
  const lines: PVELine[] = [];
  for (const cell of cells) {
    if (cell.verdict === "missing" && cell.agrees !== false) continue;
    const line = lineOf(cell);
    const same = line.kind === "said" ? undefined : lines.find(({ kind, agrees }) => kind === line.kind && agrees === line.agrees);
    if (same) same.nodes = [...same.nodes, cell.node];
    else lines.push(line);
  }
  return lines.sort((a, b) => Number(a.kind !== "said") - Number(b.kind !== "said"));
}

function lineOf(cell: Cell): PVELine {
  const { node, pve_checks: checks, pve_read_at: at, agrees } = cell;
  if (checks === null) return { nodes: [node], at: null, kind: silence(cell), checks: [], agrees: null };
  return { nodes: [node], at, kind: checks.length > 0 ? "said" : "no_remark", checks, agrees };
}

/** The first fault of an entry in one of its properties. */
export function faultIn({ faults }: Entry, property: string): Fault | undefined {
  return faults.find((fault) => fault.property === property);
}

/** The faults of an entry, each kind once for each device. */
export function faultKinds({ faults, path }: Entry): { key: string; word: string; device: string | null }[] {
  const several = path.includes(";");
  const kinds = faults.map(({ code, property, device }) => {
    const word = property === null ? code : `${code}.${property}`;
    return { key: `${word} ${device}`, word, device: several ? device : null };
  });
  return kinds.filter(({ key }, at) => kinds.findIndex((one) => one.key === key) === at);
}

/** Whether more is asked for on a node than its valid entries give. */
export function isOver({ verdict, capacity, demand }: Cell): boolean {
  return verdict !== "missing" && capacity !== null && demand.slots > capacity;
}

/** What of a count of VMs is worth a word, in this order. */
export const demandParts = ["running", "starting", "stopped", "templates", "status_unknown"] as const satisfies readonly (keyof Demand)[];

/** What is selected: a mapping of a cluster. */
export interface MappingSelection {
  cluster: string;
  id: string;
}

/** Reads the open mapping of an address: its name, with the cluster in front where all are shown. */
export function parseMapping(text: string | undefined, cluster: string | null, all: boolean): MappingSelection | null {
  if (text === undefined) return null;
  // No name of a mapping has a slash in it.
  const at = text.lastIndexOf("/");
  if (all) return at > 0 ? { cluster: text.slice(0, at), id: text.slice(at + 1) } : null;
  return cluster === null ? null : { cluster, id: text };
}

export function writeMapping({ cluster, id }: MappingSelection, all: boolean): string {
  return all ? `${cluster}/${id}` : id;
}

/** How many mappings, nodes and nodes with hardware to compare there are in these answers; null: some list was not read. */
export function countMappings(told: readonly Mappings[]): { mappings: number | null; nodes: number; read: number } {
  const nodes = told.flatMap((one) => one.nodes.filter(({ known }) => known));
  const unread = told.some(({ mappings }) => mappings === null);
  return {
    mappings: unread ? null : told.reduce((sum, { mappings }) => sum + (mappings?.length ?? 0), 0),
    nodes: nodes.length,
    read: nodes.filter((node) => node.devices_read).length,
  };
}

/** Why a list of mappings may not be whole, in words that no language changes. */
export function listIncomplete({ cluster, read, scope, scope_fault: fault }: Pick<Mappings, "cluster" | "read" | "scope" | "scope_fault">): string[] {
  if (read !== "ok") return [`${cluster}: mappings ${read}`];
  return scope === "proven" ? [] : [`${cluster}: mapping scope ${scope}${fault === null ? "" : ` (${fault})`}`];
}
