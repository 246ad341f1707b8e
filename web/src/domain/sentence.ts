import { groupByVM, type AnswerDevice, type Reference, type VMRefs } from "./inventory";

/** A message and what it is filled with. Lists of VMs are joined by whoever speaks the language. */
export interface Sentence {
  key: string;
  vms: readonly VMRefs[];
  slots: readonly string[];
  mapping: string;
}

const phases = ["current", "pending", "pending_removal"] as const;

/** The phase of a reference; "other": one of a newer server. */
function phaseOf({ phase }: Reference): Reference["phase"] | "other" {
  return phases.includes(phase) ? phase : "other";
}

/**
 * The sentences of a device's state: who names it for certain, by phase, and who may
 * get it. A device that nobody names has none here.
 */
export function namedBy(references: readonly Reference[]): Sentence[] {
  const exact = references.filter((ref) => ref.certainty === "exact");
  const sentences = [...phases, "other" as const].flatMap((phase) => {
    const refs = exact.filter((ref) => phaseOf(ref) === phase);
    return refs.length === 0 ? [] : [sentence(`gpu.named.${phase}`, refs)];
  });
  const candidates = references.filter((ref) => ref.certainty !== "exact");
  for (const mapping of [...new Set(candidates.map((ref) => ref.mapping ?? ""))]) {
    sentences.push({ ...sentence("gpu.named.candidate", candidates.filter((ref) => (ref.mapping ?? "") === mapping)), mapping });
  }
  return sentences;
}

function sentence(key: string, refs: readonly Reference[]): Sentence {
  return { key, vms: groupByVM(refs), slots: [...new Set(refs.map((ref) => ref.slot))], mapping: "" };
}

/** How many VMs there are in each phase, for the line on the configuration; those that may get it are counted apart. */
export function phaseCounts(references: readonly Reference[]): { vms: number; current: number; pending: number; pending_removal: number; unknown: number; candidate: number } {
  const exact = references.filter((ref) => ref.certainty === "exact");
  const of = (phase: ReturnType<typeof phaseOf>) => groupByVM(exact.filter((ref) => phaseOf(ref) === phase)).length;
  return {
    vms: groupByVM(exact).length,
    current: of("current"),
    pending: of("pending"),
    pending_removal: of("pending_removal"),
    unknown: of("other"),
    candidate: groupByVM(references.filter((ref) => ref.certainty !== "exact")).length,
  };
}

/** The VMs that name it for certain and run now, without those that get it after their next start. */
export function runningHolders(device: Pick<AnswerDevice, "references">): VMRefs[] {
  return groupByVM(device.references.filter((ref) => ref.vm_status === "running" && ref.phase !== "pending"));
}
