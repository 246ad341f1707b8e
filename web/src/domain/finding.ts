import type { components } from "../api/schema";
import { kept, pick, placesBy } from "./findings-index";
import { rowKey, type Row } from "./inventory";

type Schemas = components["schemas"];
export type Finding = Schemas["Finding"] & { cluster: string };
/** A finding of the list, which tells the functions and VMs that it concerns. */
export type ListedFinding = Schemas["ListedFinding"] & { cluster: string };

const placesOf = kept((findings: readonly ListedFinding[]) =>
  placesBy(findings, ({ cluster, concerns }) => concerns.devices.map(({ node, address }) => rowKey(cluster, node, address))));

/** The findings that concern a function. They keep their order, the worst first. */
export function findingsOf(findings: readonly ListedFinding[], cluster: string, node: string, address: string): ListedFinding[] {
  return pick(findings, placesOf(findings), [rowKey(cluster, node, address)]);
}

/** The findings of each row that has some, by the key of the row. */
export function findingsByRow(findings: readonly ListedFinding[], rows: readonly Row[]): ReadonlyMap<string, readonly ListedFinding[]> {
  if (findings.length === 0) return new Map();
  const own = new Map<string, readonly ListedFinding[]>();
  for (const row of rows) {
    const found = findingsOf(findings, row.cluster, row.node, row.address);
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
