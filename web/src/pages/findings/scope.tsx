import { Link } from "@tanstack/react-router";
import { ScopeLine } from "../../components/scope";
import { useReasonText } from "../../components/words";
import type { WholeScope } from "../../domain/scope";
import { scopeOfVMs, type NodeScope } from "../../domain/vm";

/** How much the findings rest on: what was not read gives none. */
export function FindingsScope({ cluster, nodes, named }: { cluster: string; nodes: readonly NodeScope[]; named: boolean }) {
  const text = useReasonText();
  const scope = scopeOf(cluster, nodes);
  const reasons = scope.reasons.map((reason) => ({
    key: reason.key,
    link: <Link className="why" to="/vms" search={{ cluster, node: reason.node }}>{text(reason)}</Link>,
  }));
  return <div className="scope-gap"><ScopeLine scope={scope} reasons={reasons} {...(named ? { end: cluster } : {})} /></div>;
}

/** The scope of the findings of a cluster. */
export function scopeOf(cluster: string, nodes: readonly NodeScope[]): WholeScope {
  return scopeOfVMs(nodes.map((one) => ({ cluster, node: one.node, pending: false, busy: false, error: null, scope: one, vms: null })), true);
}

/** Everything that findings rest on was visible and read. Where no node is known nothing was. */
export function provenBy(cluster: string, nodes: readonly NodeScope[]): boolean {
  const { full, complete } = scopeOf(cluster, nodes);
  return nodes.length > 0 && full && complete;
}
