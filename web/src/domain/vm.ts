import type { components } from "../api/schema";
import type { CsvColumn } from "./export";
import { kept, pick, placesBy } from "./findings-index";
import type { Reason, WholeScope } from "./scope";
import { hasWords, wordsOf } from "./search";

type Schemas = components["schemas"];
export type VM = Schemas["VMRow"];
export type VMLine = Schemas["VMRowLine"];
export type NodeScope = Schemas["NodeScope"];
type Finding = Schemas["ListedFinding"];

/** The VMs of one node as far as it has answered. */
export interface NodeRead {
  cluster: string;
  node: string;
  pending: boolean;
  busy: boolean;
  /** Why the last read failed; null: it did not. */
  error: unknown;
  /** null: nothing has come, or it failed. */
  scope: NodeScope | null;
  vms: readonly VM[] | null;
}

/** A VM in a list. */
export interface VMInList extends VM {
  key: string;
  cluster: string;
}

const made = new WeakMap<readonly VM[], readonly VMInList[]>();

/** The same answer gives the same rows. */
function rowsOfNode(cluster: string, node: string, vms: readonly VM[]): readonly VMInList[] {
  const known = made.get(vms);
  if (known) return known;
  const rows = vms.map((vm) => ({ ...vm, cluster, key: `${cluster}/${node}/${vm.vmid}` }));
  made.set(vms, rows);
  return rows;
}

/** All VMs that have come, by cluster, number and node. */
export function rowsOfVMs(nodes: readonly NodeRead[]): VMInList[] {
  return nodes
    .flatMap(({ cluster, node, vms }) => (vms === null ? [] : rowsOfNode(cluster, node, vms)))
    .sort((a, b) => compare(a.cluster, b.cluster) || a.vmid - b.vmid || compare(a.node, b.node));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export interface VMFilter {
  q: string;
  /** "": every node. */
  node: string;
  /** Lines that pin an address, or that name a mapping; null: all. */
  via: "address" | "mapping" | null;
}

/** The VMs that a filter leaves. */
export function filterVMs(rows: readonly VMInList[], { q, node, via }: VMFilter): readonly VMInList[] {
  const words = wordsOf(q);
  if (words.length === 0 && node === "" && via === null) return rows;
  return rows.filter((row) =>
    (node === "" || row.node === node)
    && (via === null || (row.lines ?? []).some((line) => line.via === via))
    && hasWords(textOf(row), words));
}

/** What the search looks through, in small letters, one thing a line. */
const textOf = kept((row: VMInList) => {
  const lines = row.lines ?? [];
  return [
    String(row.vmid), row.name, row.desktop, row.node,
    ...lines.flatMap((line) => [line.mapping, line.value, ...line.devices.flatMap((device) => [device.address, device.device_name])]),
  ].join("\n").toLowerCase();
});

/** Adds up how much was checked. listsWhole: it is known which nodes there are. */
export function scopeOfVMs(nodes: readonly NodeRead[], listsWhole: boolean): WholeScope {
  const scopes = nodes.flatMap((node) => node.scope ?? []);
  const reasons = nodes.flatMap(reasonsOf);
  const silent = !listsWhole || nodes.some((node) => node.error !== null);
  return {
    checked: scopes.reduce((all, scope) => all + scope.checked_vms, 0),
    visible: silent ? null : scopes.reduce((all, scope) => all + scope.visible_vms, 0),
    full: scopes.every((scope) => scope.scope === "proven"),
    complete: listsWhole && reasons.length === 0 && scopes.every((scope) => scope.complete),
    reasons,
  };
}

function reasonsOf({ cluster, node, error, scope }: NodeRead): Reason[] {
  if (error !== null) return [{ key: `${cluster}/${node}/no_answer`, code: "no_answer", cluster, node, vmid: 0, count: 1 }];
  return issueReasons(cluster, node, scope?.issues ?? []);
}

/** What makes a check incomplete: one reason for all issues of the same kind. */
export function issueReasons(cluster: string, node: string, issues: readonly Schemas["AnswerIssue"][]): Reason[] {
  const blocking = issues.filter((issue) => issue.blocks);
  return [...new Set(blocking.map((issue) => issue.code))].map((code) => {
    const same = blocking.filter((issue) => issue.code === code);
    return { key: `${cluster}/${node}/${code}`, code, cluster, node, vmid: same.length === 1 ? (same[0]?.vmid ?? 0) : 0, count: same.length };
  });
}

/** When the oldest part was read, in milliseconds since 1970; null: nothing was. */
export function oldestRead(nodes: readonly NodeRead[]): number | null {
  const times = nodes.flatMap((node) => (node.scope?.read_at ? [Date.parse(node.scope.read_at)] : []));
  return times.length === 0 ? null : Math.min(...times);
}

const placesOf = kept((findings: readonly Finding[]) => placesBy(findings, ({ concerns }) => concerns.vms.map(({ node, vmid }) => `${node}/${vmid}`)));

/** The findings that concern a VM, of a list of its cluster; the worst first, as they came. */
export function findingsOfVM(findings: readonly Finding[], { node, vmid }: Pick<VM, "node" | "vmid">): Finding[] {
  return pick(findings, placesOf(findings), [`${node}/${vmid}`]);
}

/** The columns of the file of VMs: one row for each VM, what a line has several of separated by spaces. */
export const vmCsv: readonly CsvColumn<VMInList>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "vmid", cell: (row) => row.vmid },
  { title: "name", cell: (row) => row.name },
  { title: "desktop", cell: (row) => row.desktop },
  { title: "node", cell: (row) => row.node },
  { title: "status", cell: (row) => row.status },
  { title: "template", cell: (row) => row.template },
  { title: "config_read", cell: (row) => row.config_read },
  { title: "lines", cell: (row) => row.lines?.map((line) => `${line.slot} (${line.phase}): ${line.value}`).join("; ") ?? null },
  { title: "devices", cell: (row) => row.lines?.flatMap((line) => line.devices.map((device) => device.address)).join(" ") ?? null },
];
