import { countStates, compareNames, compareText, type Counts, type Row } from "./inventory";
import { modelName } from "./model";
import { referencesOf, vgpusOf } from "./marks";

/** A line of the capacity table. */
export interface Capacity {
  key: string;
  /** Name of the model or cluster. */
  name: string;
  /** Vendor and device, like 10de:2204; "" for a cluster. */
  ids: string;
  cards: number;
  counts: Counts;
  /** Virtual functions; null: no card has any, or they were not told. */
  vf: { count: number; used: number } | null;
  /** How many cards can give vGPUs; null: of none it is told whether it can. */
  vgpu: number | null;
  /** The types of mediated device that VMs ask for, with their numbers, by name. */
  profiles: readonly { type: string; used: number }[];
  /** How many cards each node has, by name; two of one name have their clusters in it. */
  nodes: readonly { node: string; cards: number }[];
}

/** The cards of each model, the most frequent first. */
export function capacityByModel(rows: readonly Row[]): Capacity[] {
  return group(rows, (row) => {
    const ids = `${row.device.vendor_id}:${row.device.device_id}`;
    return { key: ids, name: modelName(row.device), ids };
  }).sort((a, b) => b.cards - a.cards || compareText(a.name, b.name));
}

/** The cards of each cluster, by name. */
export function capacityByCluster(rows: readonly Row[]): Capacity[] {
  return group(rows, (row) => ({ key: row.cluster, name: row.cluster, ids: "" })).sort((a, b) => compareNames(a.name, b.name));
}

function group(rows: readonly Row[], by: (row: Row) => { key: string; name: string; ids: string }): Capacity[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const { key } = by(row);
    const members = groups.get(key);
    if (members) members.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].flatMap((members) => {
    const first = members[0];
    return first ? [{ ...by(first), ...sum(members) }] : [];
  });
}

/** Adds rows up. */
export function sum(rows: readonly Row[]): Omit<Capacity, "key" | "name" | "ids"> {
  const functions = rows.flatMap((row) => row.vf ?? []);
  return {
    cards: rows.length,
    counts: countStates(rows),
    vf: functions.length === 0 ? null : {
      count: functions.reduce((all, vf) => all + vf.count, 0),
      used: functions.reduce((all, vf) => all + vf.used, 0),
    },
    vgpu: rows.every((row) => row.device.mdev_capable === null) ? null : rows.filter(canGiveVGPUs).length,
    profiles: tally(rows.flatMap((row) => vgpusOf(referencesOf(row)).flatMap((ref) => ref.mdev_type ?? [])))
      .map(([type, used]) => ({ type, used })),
    nodes: tally(nodeNames(rows)).map(([node, cards]) => ({ node, cards })),
  };
}

/** The node of each row, with its cluster where another cluster has one of the same name. */
function nodeNames(rows: readonly Row[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const { node, cluster } of rows) owners.set(node, (owners.get(node) ?? new Set()).add(cluster));
  return rows.map(({ node, cluster }) => (owners.get(node)?.size ?? 0) > 1 ? `${cluster} / ${node}` : node);
}

// The virtual functions of a card give its vGPUs, where it works that way.
function canGiveVGPUs({ device, functions }: Row): boolean {
  return [device, ...functions].some((one) => one.mdev_capable === true);
}

function tally(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compareNames(a, b));
}
