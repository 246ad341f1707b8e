import type { components } from "../api/schema";
import { deviceName, shortModel } from "./model";
import { hasWords, wordsOf } from "./search";

type Schemas = components["schemas"];
export type Answer = Schemas["NodeAnswer"];
export type AnswerDevice = Schemas["AnswerDevice"];
export type Reference = Schemas["AnswerReference"];
export type Issue = Schemas["AnswerIssue"];
export type DeviceState = AnswerDevice["state"];

/** One node as far as it has answered. */
export interface NodeView {
  cluster: string;
  node: string;
  /** null: not told. */
  online: boolean | null;
  /** Nothing has come back yet. */
  pending: boolean;
  /** It is being read, for the first time or again. */
  busy: boolean;
  /** Why the last read failed; null: it did not. */
  error: unknown;
  /** When the last answer or failure came, in milliseconds since 1970; null: none yet. */
  triedAt: number | null;
  answer: Answer | null;
}

/** One cluster: its list of nodes, and each of them. */
export interface ClusterView {
  cluster: string;
  pending: boolean;
  busy: boolean;
  error: unknown;
  /** null: not read. */
  told: Schemas["ClusterNodes"] | null;
  nodes: readonly NodeView[];
}

/** All lines of one VM that name a device. */
export interface VMRefs {
  vmid: number;
  /** null: not told. */
  name: string | null;
  status: Reference["vm_status"];
  template: boolean;
  desktop: string | null;
  refs: readonly Reference[];
}

/** A device in a list: a function that is no virtual one, or whose physical function is not in the list. */
export interface Row {
  key: string;
  cluster: string;
  node: string;
  address: string;
  state: DeviceState;
  device: AnswerDevice;
  name: string;
  model: string;
  /** By number. */
  vms: readonly VMRefs[];
  /** Functions in its IOMMU group, with itself; null: it has no group, or that was not told. */
  members: number | null;
  /** Its virtual functions in the list; null: it has none, or they were not told. */
  vf: { count: number; used: number } | null;
  /** Its virtual functions, as far as the list has them. */
  functions: readonly AnswerDevice[];
  /** How many of these there are of each state. */
  vfStates: Counts;
  /**
   * A display for the host's own use, which stands last and muted: that of a management
   * controller, or the one that the host started on. null: neither is known.
   */
  host: "bmc" | "boot" | null;
  /** Lower-case words that the search looks through, one a line. */
  words: string;
}

/** The order in which lists show the states. */
export const states = ["multi_referenced", "needs_review", "referenced", "unreferenced"] as const satisfies readonly DeviceState[];

export function rowKey(cluster: string, node: string, address: string): string {
  return `${cluster}/${node}/${address}`;
}

const made = new WeakMap<Answer, readonly Row[]>();

/** The rows of one answer by address; none if the devices were not read. The same answer gives the same rows. */
export function rowsOf(answer: Answer): readonly Row[] {
  const known = made.get(answer);
  if (known) return known;
  const devices = answer.devices ?? [];
  const byAddress = new Map(devices.map((device) => [device.address, device]));
  const sizes = groupSizes(devices);
  const rows = devices
    .filter((device) => device.kind !== "other" && !standsWith(device, byAddress))
    .map((device) => rowOf(answer, device, byAddress, sizes))
    .sort((a, b) => compareText(a.address, b.address));
  made.set(answer, rows);
  return rows;
}

/** Whether a function stands with its physical one, because that is in the list as well. */
function standsWith(device: AnswerDevice, byAddress: ReadonlyMap<string, AnswerDevice>): boolean {
  const physical = device.physical_function === null ? undefined : byAddress.get(device.physical_function);
  return physical !== undefined && physical.kind !== "other";
}

function groupSizes(devices: readonly AnswerDevice[]): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  for (const { iommu_group: group } of devices) {
    if (group !== null) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  return sizes;
}

// A state of a newer server stands among those that need review: nothing is known of it.
function listedState(state: DeviceState): DeviceState {
  return states.includes(state) ? state : "needs_review";
}

function rowOf(answer: Answer, device: AnswerDevice, byAddress: ReadonlyMap<string, AnswerDevice>, sizes: ReadonlyMap<number, number>): Row {
  const functions = (device.virtual_functions ?? []).flatMap((address) => byAddress.get(address) ?? []);
  const count = device.virtual_functions?.length ?? 0;
  return {
    key: rowKey(answer.cluster, answer.node, device.address),
    cluster: answer.cluster,
    node: answer.node,
    address: device.address,
    state: listedState(device.state),
    device,
    name: deviceName(device),
    model: shortModel(device),
    vms: groupByVM(device.references),
    members: device.iommu_group === null ? null : (sizes.get(device.iommu_group) ?? null),
    vf: count === 0 ? null : { count, used: functions.filter((one) => one.references.length > 0).length },
    functions,
    vfStates: tally(functions.map((one) => listedState(one.state))),
    host: hostUse(answer, device.address),
    words: [device, ...functions].map(textOf).join("\n"),
  };
}

function hostUse({ host_displays: displays }: Answer, address: string): Row["host"] {
  const display = displays?.find((one) => one.address === address);
  if (display?.bmc === true) return "bmc";
  return display?.boot_display === true ? "boot" : null;
}

function textOf(device: AnswerDevice): string {
  const words = [deviceName(device), device.device_name, device.vendor_name, device.address, `${device.vendor_id}:${device.device_id}`];
  for (const ref of device.references) words.push(`vm ${ref.vmid}`, ref.vm_name, ref.desktop, ref.mapping);
  return words.filter((word) => word !== null).join("\n").toLowerCase();
}

/** Puts the references of each VM together, by number. */
export function groupByVM(references: readonly Reference[]): VMRefs[] {
  const byVM = new Map<number, Reference[]>();
  for (const ref of references) byVM.set(ref.vmid, [...(byVM.get(ref.vmid) ?? []), ref]);
  return [...byVM].sort(([a], [b]) => a - b).flatMap(([vmid, refs]) => {
    const first = refs[0];
    if (!first) return [];
    return [{ vmid, name: first.vm_name, status: first.vm_status, template: first.template, desktop: first.desktop, refs }];
  });
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const nodeOrder = new Intl.Collator("en", { numeric: true });

/** Names of nodes and clusters in an order in which node-10 comes after node-9. */
export function compareNames(a: string, b: string): number {
  return a === b ? 0 : nodeOrder.compare(a, b);
}

/** The rows in the order of the table: by state, then cluster, node and address. */
export function sortRows(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) =>
    states.indexOf(a.state) - states.indexOf(b.state) || compareNames(a.cluster, b.cluster) ||
    compareNames(a.node, b.node) || compareText(a.address, b.address));
}

/** The tiles of a node: by address, displays for the host's own use last. */
export function tilesOf(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => Number(a.host !== null) - Number(b.host !== null) || compareText(a.address, b.address));
}

export type Counts = Record<DeviceState, number>;

function tally(list: readonly DeviceState[]): Counts {
  const counts: Counts = { multi_referenced: 0, needs_review: 0, referenced: 0, unreferenced: 0 };
  for (const state of list) counts[state] += 1;
  return counts;
}

/** How many rows there are of each state. */
export function countStates(rows: readonly Row[]): Counts {
  return tally(rows.map((row) => row.state));
}

/** How many virtual functions of these rows there are of each state. Together with the rows they are what the server lists. */
export function countVFStates(rows: readonly Row[]): Counts {
  const counts = tally([]);
  for (const row of rows) for (const state of states) counts[state] += row.vfStates[state];
  return counts;
}

/** The rows that are in a state, or have a virtual function in it; undefined: all. */
export function inState(rows: readonly Row[], state: DeviceState | undefined): readonly Row[] {
  return state === undefined ? rows : rows.filter((row) => row.state === state || row.vfStates[state] > 0);
}

/** The rows that have each of the words somewhere: in name, address, VM, number or desktop. */
export function search(rows: readonly Row[], text: string): readonly Row[] {
  const words = wordsOf(text);
  return words.length === 0 ? rows : rows.filter((row) => hasWords(row.words, words));
}

/** Whether the list of its nodes was read, and these are all for certain. */
export function allNodesTold(view: ClusterView): boolean {
  return view.error === null && view.told?.nodes != null && view.told.complete;
}

/** Whether the devices of any of these nodes were read. */
export function anyTold(nodes: readonly NodeView[]): boolean {
  return nodes.some((node) => node.answer?.devices != null);
}

/** When the oldest answer of these was read, in milliseconds since 1970; null: none was. */
export function oldest(nodes: readonly NodeView[]): number | null {
  const times = nodes.flatMap(({ answer }) => (answer?.read_at == null ? [] : [Date.parse(answer.read_at)]));
  return times.length === 0 ? null : Math.min(...times);
}
