import type { components } from "../api/schema";
import type { Mapping } from "./mapping";
import type { Intent } from "./plan";

type Device = components["schemas"]["AnswerDevice"];

/** What somebody has typed about a mapping. */
export interface MappingDraft {
  name: string;
  description: string;
  /** One entry a line, as Proxmox VE writes it. */
  entries: string;
  mdev: boolean;
  live: boolean;
}

export const emptyMapping: MappingDraft = { name: "", description: "", entries: "", mdev: false, live: false };

/** A mapping as it is there. */
export function draftOf(mapping: Mapping): MappingDraft {
  const entries = mapping.cells.flatMap((cell) => cell.entries).sort((a, b) => a.number - b.number).map(({ map }) => map);
  return { name: mapping.id, description: mapping.description ?? "", entries: entries.join("\n"), mdev: mapping.mdev, live: mapping.live_migration_capable };
}

/** The entries of a text: its lines that say something. */
export function entriesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The intent to create what was typed. */
export function creation({ name, description, entries, mdev, live }: MappingDraft): Intent {
  return {
    kind: "create", mapping: name.trim(), entries: entriesOf(entries), ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(mdev ? { mdev } : {}), ...(live ? { live_migration: live } : {}),
  };
}

/** The intent to make a mapping as it was typed: what was not touched is not named, so that nothing is lost that is not shown. */
export function change(from: Mapping, draft: MappingDraft): Intent {
  const old = draftOf(from);
  const unset: NonNullable<Intent["unset"]> = [];
  const intent: Intent = { kind: "change", mapping: from.id };
  const entries = entriesOf(draft.entries);
  if (entries.join("\n") !== old.entries) intent.entries = entries;
  const description = draft.description.trim();
  if (description !== old.description.trim()) {
    if (description === "") unset.push("description");
    else intent.description = description;
  }
  if (draft.mdev !== old.mdev) {
    if (draft.mdev) intent.mdev = true;
    else unset.push("mdev");
  }
  if (draft.live !== old.live) {
    if (draft.live) intent.live_migration = true;
    else unset.push("live-migration-capable");
  }
  return unset.length === 0 ? intent : { ...intent, unset };
}

/** Whether a function can stand for its whole slot: others are beside it, and it is the first. */
export function hasCompanions(device: Device, devices: readonly Device[]): boolean {
  const slot = slotOf(device.address);
  return device.address.endsWith(".0") && devices.some(({ address }) => address !== device.address && slotOf(address) === slot);
}

function slotOf(address: string): string {
  return address.slice(0, address.lastIndexOf("."));
}

/** The entry for a function, or for its whole slot, with all that Proxmox VE compares as far as it was told. */
export function entryFor(node: string, device: Device, wholeSlot: boolean): string {
  const hex = (id: string) => id.replace(/^0x/, "");
  const { subsystem_vendor_id: vendor, subsystem_device_id: subsystem, iommu_group: group } = device;
  const options = [
    `id=${hex(device.vendor_id)}:${hex(device.device_id)}`,
    ...(group === null ? [] : [`iommugroup=${group}`]),
    `node=${node}`,
    `path=${wholeSlot ? slotOf(device.address) : device.address}`,
    ...(vendor === null || subsystem === null ? [] : [`subsystem-id=${hex(vendor)}:${hex(subsystem)}`]),
  ];
  return options.join(",");
}

/** The text with one more entry at its end. */
export function withEntry(text: string, entry: string): string {
  return [...entriesOf(text), entry].join("\n");
}
