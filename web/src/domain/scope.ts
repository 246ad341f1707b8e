import type { ClusterView, Issue, NodeView } from "./inventory";

/** Why a check is incomplete: one reason, in the words of a message. */
export interface Reason {
  key: string;
  /** Code of the issue, `no_answer` for a request that failed, or `nodes_unknown` for a list of nodes that is not whole. */
  code: Issue["code"] | "no_answer" | "nodes_unknown";
  cluster: string;
  node: string;
  /** 0: about no VM, or about several. */
  vmid: number;
  count: number;
}

export interface WholeScope {
  checked: number;
  /** null: not told how many there are, because a node gave no answer. */
  visible: number | null;
  full: boolean;
  complete: boolean;
  reasons: readonly Reason[];
}

/** The part of the clusters that a filter by node leaves; undefined: no filter. */
export function viewsOfNode(views: readonly ClusterView[], node: string | undefined): readonly ClusterView[] {
  return node === undefined ? views : views.map((view) => ({ ...view, nodes: view.nodes.filter((one) => one.node === node) }));
}

/** Adds up how much of these clusters was checked. */
export function scopeOf(views: readonly ClusterView[]): WholeScope {
  const nodes = views.flatMap((view) => view.nodes);
  const reasons = once(views.flatMap((view) => [...listReasons(view), ...view.nodes.flatMap(nodeReasons)]));
  const silent = nodes.some((node) => node.error !== null) || views.some((view) => view.error !== null || view.told?.nodes === null);
  const answers = nodes.flatMap((node) => node.answer ?? []);
  return {
    checked: answers.reduce((all, answer) => all + answer.checked_vms, 0),
    visible: silent ? null : answers.reduce((all, answer) => all + answer.visible_vms, 0),
    full: answers.every((answer) => answer.scope === "proven"),
    complete: reasons.length === 0 && answers.every((answer) => answer.complete),
    reasons,
  };
}

// Every node of a cluster tells these, because they are about the token.
const clusterWide: ReadonlySet<Reason["code"]> = new Set(["vm_scope_unproven", "vm_hidden"]);

function once(reasons: readonly Reason[]): Reason[] {
  const told = new Set<string>();
  return reasons.filter(({ key, code, cluster }) => {
    const same = clusterWide.has(code) ? `${cluster}//${code}` : key;
    if (told.has(same)) return false;
    told.add(same);
    return true;
  });
}

function listReasons(view: ClusterView): Reason[] {
  if (view.pending || view.told?.complete === true) return [];
  return [{ key: `${view.cluster}//nodes`, code: "nodes_unknown", cluster: view.cluster, node: "", vmid: 0, count: 1 }];
}

/** What makes the check of a node incomplete: one reason for all issues of the same kind. */
export function nodeReasons(view: NodeView): Reason[] {
  const { cluster, node } = view;
  if (view.error !== null) return [{ key: `${cluster}/${node}/no_answer`, code: "no_answer", cluster, node, vmid: 0, count: 1 }];
  const blocking = (view.answer?.issues ?? []).filter((issue) => issue.blocks);
  const codes = [...new Set(blocking.map((issue) => issue.code))];
  return codes.map((code) => {
    const same = blocking.filter((issue) => issue.code === code);
    return { key: `${cluster}/${node}/${code}`, code, cluster, node, vmid: same.length === 1 ? (same[0]?.vmid ?? 0) : 0, count: same.length };
  });
}

/** Why a check is incomplete, in words that no language changes. settled: everything has been read that was asked for. */
export function incompleteBecause({ complete, reasons }: Pick<WholeScope, "complete" | "reasons">, settled = true): string[] {
  const told = reasons.map(({ code, cluster, node, vmid, count }) =>
    `${node === "" ? cluster : `${cluster}/${node}`}: ${code}${vmid !== 0 ? ` (VM ${vmid})` : count > 1 ? ` (${count})` : ""}`);
  if (!settled) return [...told, "not everything has been read yet"];
  return complete || told.length > 0 ? told : ["the reason was not told"];
}
