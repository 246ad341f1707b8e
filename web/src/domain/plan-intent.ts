import type { components } from "../api/schema";
import type { Finding } from "./finding";
import type { Intent } from "./plan";

export type { Intent };

/** The intent to write the address that a device has now; null: the finding does not tell one. */
export function fixOf({ code, subject, params }: Pick<Finding, "code" | "subject" | "params">): Intent | null {
  if (code !== "device-moved") return null;
  if (params?.["variant"] === "entry" && subject.mapping !== undefined) return { kind: "fix", mapping: subject.mapping };
  if (params?.["variant"] === "shifted" && subject.vmid !== undefined) return { kind: "fix", vms: [subject.vmid] };
  return null;
}

/** The intent to take a proposal: a new mapping, or more entries for one that is there. */
export function takingOf({ id, changes, map, mdev }: Pick<components["schemas"]["AnswerSuggestion"], "id" | "changes" | "map" | "mdev">): Intent {
  if (changes) return { kind: "change", mapping: id, entries: map };
  return { kind: "create", mapping: id, entries: map, ...(mdev ? { mdev } : {}) };
}

type Line = Pick<components["schemas"]["VMLine"], "slot" | "phase" | "via">;

/** Whether the next start of a VM would find a line that names an address, where it could name a mapping. */
export function canConvert(lines: readonly Line[] | null): boolean {
  return lines?.some(({ slot, phase, via }) => via === "address"
    && (phase === "pending" || (phase === "current" && !lines.some((other) => other.slot === slot && other.phase === "pending")))) ?? false;
}
