import type { Reference, Row } from "./inventory";

export type MarkKind = "pending" | "pending_removal" | "host" | "boot" | "vf_review" | "vf_multi" | "vf" | "vgpu" | "mapping" | "group";

/** A grey word on a tile: a kind, and what it is filled with. */
export interface Mark {
  kind: MarkKind;
  /** Figures for the message. */
  params: Record<string, number>;
  /** A name that stands as it is; "" if there is none. */
  text: string;
}

/** The marks of a tile, the most telling first, three at most. */
export function marksOf(row: Row): Mark[] {
  const marks: Mark[] = [];
  const refs = row.vms.flatMap((vm) => vm.refs);
  for (const kind of ["pending", "pending_removal"] as const) {
    if (refs.some((ref) => ref.phase === kind)) marks.push({ kind, params: {}, text: "" });
  }
  marks.push(...hostMarks(row), ...vfMarks(row));
  if (row.vf) marks.push({ kind: "vf", params: { count: row.vf.count, used: row.vf.used }, text: "" });
  if (row.device.mdev_capable === true) marks.push({ kind: "vgpu", params: { used: vgpusOf(referencesOf(row)).length }, text: "" });
  for (const mapping of mappingsOf(refs)) marks.push({ kind: "mapping", params: {}, text: mapping });
  const group = row.device.iommu_group;
  if (group !== null) marks.push({ kind: "group", params: {}, text: groupWords(group, row.members) });
  return marks.slice(0, 3);
}

/** What a display of the host itself is. */
export function hostMarks({ host }: Row): Mark[] {
  return host === null ? [] : [{ kind: host === "bmc" ? "host" : "boot", params: {}, text: "" }];
}

/** What of the virtual functions is to be looked into: they stand in the drawer only. */
export function vfMarks({ vfStates }: Row): Mark[] {
  const marks: Mark[] = [];
  if (vfStates.multi_referenced > 0) marks.push({ kind: "vf_multi", params: { count: vfStates.multi_referenced }, text: "" });
  if (vfStates.needs_review > 0) marks.push({ kind: "vf_review", params: { count: vfStates.needs_review }, text: "" });
  return marks;
}

/** The references to a card: to the function itself and to its virtual ones. */
export function referencesOf({ device, functions }: Row): Reference[] {
  return [device, ...functions].flatMap((one) => one.references);
}

/** A group and how many functions are in it. */
export function groupWords(group: number, members: number | null): string {
  return members === null ? String(group) : `${group} · ${members}`;
}

/** The references that ask for a mediated device. */
export function vgpusOf(refs: readonly Reference[]): Reference[] {
  return refs.filter((ref) => ref.mdev_type !== null);
}

/** The mappings by which a device is named, each once. */
export function mappingsOf(refs: readonly Reference[]): string[] {
  return [...new Set(refs.flatMap((ref) => ref.mapping ?? []))];
}

/** What a line of a VM says beside its name: the phase that is not the current one, or that it is but a candidate. */
export function remarkOf(refs: readonly Reference[]): "pending" | "pending_removal" | "candidate" | null {
  if (refs.some((ref) => ref.phase === "current" && ref.certainty === "exact")) return null;
  const phase = refs.find((ref) => ref.phase !== "current")?.phase;
  if (phase === "pending" || phase === "pending_removal") return phase;
  return refs.some((ref) => ref.certainty === "candidate") ? "candidate" : null;
}
