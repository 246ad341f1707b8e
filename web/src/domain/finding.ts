import type { components } from "../api/schema";
import { kept, pick, placesBy } from "./findings-index";
import type { AnswerDevice, Row } from "./inventory";

export type Finding = components["schemas"]["Finding"] & { cluster: string };

// What a finding is about: a function of a node, a line of a VM, or a mapping.
const placesOf = kept((findings: readonly Finding[]) => placesBy(findings, ({ cluster, subject: { node, vmid, slot, device, mapping } }) => {
  if (device !== undefined && node !== undefined) return [`${cluster}|device|${node}|${device}`];
  if (vmid !== undefined) return slot === undefined ? [] : [`${cluster}|line|${vmid}|${slot}`];
  return mapping === undefined ? [] : [`${cluster}|mapping|${mapping}`];
}));

/**
 * The findings about a device: those about the function itself, about lines that name
 * it, and about mappings by which it is named. They keep their order, the worst first.
 */
export function findingsOf(findings: readonly Finding[], cluster: string, node: string, device: AnswerDevice): Finding[] {
  const keys = [`${cluster}|device|${node}|${device.address}`];
  for (const { vmid, slot, mapping } of device.references) {
    keys.push(`${cluster}|line|${vmid}|${slot}`);
    if (mapping !== null) keys.push(`${cluster}|mapping|${mapping}`);
  }
  return pick(findings, placesOf(findings), keys).filter(({ subject }) => subject.node === undefined || subject.node === node);
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

const command = "(?:qm|pct|pvesh|pvesm|ha-manager|lspci|lsblk|dmesg|ip|echo|cat|cp|systemctl|modprobe|update-grub|proxmox-boot-tool) ";
const corrected = "(?:\\w[\\w-]*=[^,]*,)*id=";
const ending = new RegExp(`^(?:(.*?): )?((?:${command}|${corrected}).*)$`);

/**
 * Splits a remedy into its words and what is to be copied, a command or a corrected entry;
 * either may be "". What is to be copied begins the line or follows a colon, and ends the
 * line: a command in the middle of a sentence stays in the words, since its end is not known.
 */
export function splitRemedy(line: string): { words: string; command: string } {
  const [, words = "", rest = ""] = ending.exec(line) ?? [];
  return rest === "" || rest.endsWith(".") ? { words: line, command: "" } : { words, command: rest };
}
