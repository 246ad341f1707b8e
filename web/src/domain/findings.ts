import type { components } from "../api/schema";
import type { CsvColumn } from "./export";
import type { Finding } from "./finding";

export type Severity = Finding["severity"];
export type Code = components["schemas"]["FindingCode"]["code"];

/** The worst first. */
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** What a finding is, whatever its place in the list; the same for two findings only if they say the same. */
export function findingKey(finding: Finding): string {
  let key = keys.get(finding);
  if (key === undefined) {
    const { cluster, code, subject, sentence } = finding;
    const { node, vmid, slot, device, mapping } = subject;
    key = [cluster, code, node, vmid, slot, device, mapping, sentence].join("|");
    keys.set(finding, key);
  }
  return key;
}

// Long lists ask for the keys of thousands at each draw.
const keys = new WeakMap<Finding, string>();

export interface FindingFilter {
  severity: Severity | null;
  /** "": every code. */
  code: string;
  /** "": every node. */
  node: string;
}

/** The findings that a filter leaves. Those about no node in particular stay with every node. */
export function filterFindings(findings: readonly Finding[], { severity, code, node }: FindingFilter): Finding[] {
  return findings.filter((finding) =>
    (severity === null || finding.severity === severity)
    && (code === "" || finding.code === code)
    && (node === "" || finding.subject.node === undefined || finding.subject.node === node));
}

/** The findings of all clusters together, the worst first; within a severity they keep their order. */
export function mergeFindings<T extends Finding>(lists: readonly (readonly T[])[]): T[] {
  return lists.flat().sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

/** How many findings there are of each severity. */
export function countBySeverity(findings: readonly Finding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  for (const finding of findings) counts[finding.severity] += 1;
  return counts;
}

/** The codes that occur, in the order of the alphabet, each with its number of findings. */
export function countByCode(findings: readonly Finding[]): [Code, number][] {
  const counts = new Map<Code, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The columns of the file of findings. */
export const findingCsv: readonly CsvColumn<Finding>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "severity", cell: (row) => row.severity },
  { title: "code", cell: (row) => row.code },
  { title: "node", cell: (row) => row.subject.node ?? null },
  { title: "vmid", cell: (row) => row.subject.vmid ?? null },
  { title: "slot", cell: (row) => row.subject.slot ?? null },
  { title: "device", cell: (row) => row.subject.device ?? null },
  { title: "mapping", cell: (row) => row.subject.mapping ?? null },
  { title: "sentence", cell: (row) => row.sentence },
  { title: "evidence", cell: (row) => row.evidence.join("\n") },
  { title: "remedy", cell: (row) => row.remedy.join("\n") },
];
