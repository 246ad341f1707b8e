import type { components } from "../api/schema";

type Schemas = components["schemas"];
export type NodeVerdict = Schemas["AnswerNode"];
export type StartReason = Schemas["AnswerReason"];
export type Move = Schemas["AnswerMove"];
export type Leaving = Schemas["AnswerLeaving"];
export type Settled = Schemas["AnswerSettled"];

/** A sentence of the server that has a code, as reasons and readings are. */
export interface Said {
  code: string;
  sentence: string;
  params: Record<string, string>;
}

/** The key of the message that says the same; area is placement or doctor. */
export function saidKey(area: "placement" | "doctor", { code, params }: Pick<Said, "code" | "params">): string {
  const variant = params["variant"];
  return `${area}.says.${code}${variant === undefined ? "" : `_${variant}`}`;
}

/** The params that are lists; what stands in all others may have commas of its own. */
const lists = new Set(["devices", "vms", "groups", "properties", "settings"]);

/** How many of a list a sentence names. */
const most = 8;

/** The params as a sentence names them: lists as the language writes them, and of long ones the beginning. */
export function sayParts(params: Record<string, string>, language: string, more: (count: number) => string): Record<string, string> {
  const format = new Intl.ListFormat(language, { type: "conjunction" });
  return Object.fromEntries(Object.entries(params).map(([key, value]) => {
    if (!lists.has(key)) return [key, value];
    const members = value.split(", ");
    return [key, format.format(members.length > most ? [...members.slice(0, most), more(members.length - most)] : members)];
  }));
}

/** What opens a verdict because it was not read, and not because nobody can tell. */
const unread = new Set<string>([
  "config_unread", "node_off", "devices_unread", "mapping_invisible", "mapping_unchecked", "group_unread", "driver_unread",
  "mdev_types_unread", "vm_scope_unproven", "vms_unseen", "vm_unread",
]);

/** Whether a reason says that something was not read. */
export function isUnread({ effect, code }: Pick<StartReason, "effect" | "code">): boolean {
  return effect === "open" && unread.has(code);
}

/** The nodes of a verdict, in their order. */
export function nodesWith(nodes: readonly NodeVerdict[], verdict: NodeVerdict["verdict"]): string[] {
  return nodes.filter((node) => node.verdict === verdict).map((node) => node.node);
}

/** Nodes to which a move has the same answer. */
export interface MoveGroup {
  move: Move;
  nodes: string[];
  /** Those of them on which it could not start then. */
  noStart: string[];
}

export type MoveKind = "move_powered_off" | "move_running";

/** The moves to the other nodes, those with the same answer together, the best first. */
export function movesOf(nodes: readonly NodeVerdict[], kind: MoveKind): MoveGroup[] {
  const groups = new Map<string, MoveGroup>();
  for (const node of nodes) {
    const move = node[kind];
    if (move === null) continue;
    const key = JSON.stringify([move.verdict, move.code, move.slots, move.mapping, move.ha]);
    const group = groups.get(key) ?? { move, nodes: [], noStart: [] };
    group.nodes.push(node.node);
    if (node.verdict === "cannot_start") group.noStart.push(node.node);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => rank(a.move) - rank(b.move));
}

const order = ["allowed", "unverified", "root_only", "unknown", "blocked", "not_running"];

/** One of a newer server comes last. */
function rank({ verdict }: Move): number {
  const at = order.indexOf(verdict);
  return at < 0 ? order.length : at;
}

/** How a question about moves is answered in a word. */
export type MoveAnswer = "yes" | "unverified" | "root" | "no" | "unknown" | "off" | "nowhere";

/** The answer to a question about moves: the best that a node has. */
export function answerOf(groups: readonly MoveGroup[]): MoveAnswer {
  switch (groups[0]?.move.verdict) {
    case undefined: return "nowhere";
    case "allowed": return "yes";
    case "unverified": return "unverified";
    case "root_only": return "root";
    case "blocked": return "no";
    case "not_running": return "off";
    default: return "unknown";
  }
}

/** The VMs whose configuration was not read: nothing else can be said of them. */
export function notRead(vms: readonly Leaving[]): { read: Leaving[]; unread: Leaving[] } {
  const silent = (vm: Leaving) => vm.nodes.length > 0 && vm.nodes.every((node) => node.reasons.some((reason) => reason.code === "config_unread"));
  return { read: vms.filter((vm) => !silent(vm)), unread: vms.filter(silent) };
}

/** Why a VM cannot simply leave: moves with the same answer once, the nodes that it is about with it. */
export function keptBy(vm: Leaving): MoveGroup[] {
  return movesOf(vm.nodes, vm.status === "stopped" ? "move_powered_off" : "move_running");
}

/** What was not read of other nodes, each once: who keeps to a list of many VMs would read it with each of them. */
export function unreadElsewhere(vms: readonly Leaving[]): { node: string; reason: StartReason }[] {
  const found = new Map<string, { node: string; reason: StartReason }>();
  for (const { node, reasons } of vms.flatMap((vm) => vm.nodes)) {
    for (const reason of reasons.filter((one) => isUnread(one) && one.code !== "config_unread")) found.set(`${node} ${reason.code}`, { node, reason });
  }
  return [...found.values()];
}
