import type { components } from "../api/schema";
import type { CsvColumn } from "./export";
import { matches } from "./search";

/** A desktop with the cluster that its VM is in. */
export type DesktopInList = components["schemas"]["Desktop"] & { cluster: string };

interface List {
  cluster: string;
  /** null: not read. */
  told: { desktops: readonly components["schemas"]["Desktop"][] } | null;
}

/** The desktops of all clusters that were read, by cluster in their order and then by number. */
export function rowsOfDesktops(lists: readonly List[]): DesktopInList[] {
  return lists.flatMap(({ cluster, told }) => (told?.desktops ?? []).map((desktop) => ({ ...desktop, cluster })));
}

/** The desktops that have each of the words somewhere. */
export function filterDesktops(rows: readonly DesktopInList[], text: string): DesktopInList[] {
  return rows.filter((row) => matches(text, [String(row.vmid), row.name, row.note, row.cluster]));
}

/** The clusters whose desktops are not in the list. */
export function missingDesktops(lists: readonly List[]): string[] {
  return lists.filter(({ told }) => told === null).map(({ cluster }) => `${cluster}: not read`);
}

/** The tags by which further VMs are managed, each with the clusters that have it. */
export function tagRules(lists: readonly { cluster: string; told: { desktop_tag: string | null } | null }[]): { tag: string; clusters: string[] }[] {
  const rules = new Map<string, string[]>();
  for (const { cluster, told } of lists) {
    if (told?.desktop_tag != null) rules.set(told.desktop_tag, [...(rules.get(told.desktop_tag) ?? []), cluster]);
  }
  return [...rules].map(([tag, clusters]) => ({ tag, clusters }));
}

/** The columns of the file of desktops. Without the cluster they are those that an import takes. */
export const desktopCsv: readonly CsvColumn<DesktopInList>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "vmid", cell: (row) => row.vmid },
  { title: "name", cell: (row) => row.name },
  { title: "note", cell: (row) => row.note },
  { title: "updated_at", cell: (row) => row.updated_at },
];
