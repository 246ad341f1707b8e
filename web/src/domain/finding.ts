import type { components } from "../api/schema";
import type { AnswerDevice, Row } from "./inventory";

export type Finding = components["schemas"]["Finding"] & { cluster: string };

/**
 * The findings about a device: those about the function itself, about lines that name
 * it, and about mappings by which it is named. They keep their order, the worst first.
 */
export function findingsOf(findings: readonly Finding[], cluster: string, node: string, device: AnswerDevice): Finding[] {
  const lines = new Set(device.references.map((ref) => `${ref.vmid} ${ref.slot}`));
  const mappings = new Set(device.references.flatMap((ref) => ref.mapping ?? []));
  return findings.filter((finding) => {
    const { subject } = finding;
    if (finding.cluster !== cluster || (subject.node !== undefined && subject.node !== node)) return false;
    if (subject.device !== undefined && subject.node !== undefined) return subject.device === device.address;
    if (subject.vmid !== undefined) return subject.slot !== undefined && lines.has(`${subject.vmid} ${subject.slot}`);
    return subject.mapping !== undefined && mappings.has(subject.mapping);
  });
}

/** The findings of each row that has some, by the key of the row. */
export function findingsByRow(findings: readonly Finding[], rows: readonly Row[]): ReadonlyMap<string, readonly Finding[]> {
  if (findings.length === 0) return new Map();
  const own = new Map<string, Finding[]>();
  for (const row of rows) {
    const found = findingsOf(findings, row.cluster, row.node, row.device);
    if (found.length > 0) own.set(row.key, found);
  }
  return own;
}

const shares = /^(.*?):?\s*((?:qm|pvesh|lspci|pvesm|pct|systemctl|update-grub|proxmox-boot-tool|modprobe|echo|cat|lsblk|dmesg)\s.*)$/;

/** Splits a remedy into its words and the command to copy; either may be "". */
export function splitRemedy(line: string): { words: string; command: string } {
  const match = shares.exec(line);
  return match ? { words: match[1] ?? "", command: match[2] ?? "" } : { words: line, command: "" };
}
