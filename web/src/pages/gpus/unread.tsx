import { UnreadNode } from "../../components/unread";
import type { NodeView } from "../../domain/inventory";

/** After the last row: the nodes whose devices are unknown. */
export function UnreadRows({ nodes }: { nodes: readonly NodeView[] }) {
  return <>{nodes.map((node) => <UnreadNode key={`${node.cluster}/${node.node}`} view={node} named row />)}</>;
}
