import "./devices.css";
import { useMemo, useState } from "react";
import { useWords } from "../i18n/words";
import { useClusterFindings, useInventory } from "../api/inventory";
import { useClusters } from "../api/clusters";
import { allNodesTold, anyTold, oldest, rowsOf, type NodeView } from "../domain/inventory";
import { scopeOf, type WholeScope } from "../domain/scope";
import { useAllClusters, useCluster } from "./cluster";
import { Dialog } from "./dialog";
import { useProblemText } from "./problem";
import { useReportReading } from "./reading";
import { ScopeLine } from "./scope";
import { Bar, Failed } from "./states";
import { useIssueText, useReasonText } from "./words";

/** The clusters that the address asks for; null: not known yet. */
function useClusterNames(): readonly string[] | null {
  const { data, isError } = useClusters();
  const one = useCluster();
  const all = useAllClusters();
  return useMemo(() => {
    if (all) return data ? data.map((cluster) => cluster.name) : null;
    if (one !== null) return [one];
    return data || isError ? [] : null;
  }, [all, one, data, isError]);
}

const none: readonly string[] = [];

/** All that the pages about devices show: nodes, rows, findings and how much was checked. */
export function useDevices() {
  const clusters = useClusters();
  const names = useClusterNames();
  const { views, refresh } = useInventory(names ?? none);
  const nodes = useMemo(() => views.flatMap((view) => view.nodes), [views]);
  const rows = useMemo(() => nodes.flatMap(({ answer }) => (answer ? rowsOf(answer) : [])), [nodes]);
  const answered = nodes.filter((node) => !node.pending).length;
  const settled = views.length > 0 && views.every((view) => !view.pending) && answered === nodes.length;
  const findings = useClusterFindings(names ?? none, settled);
  const scope = useMemo(() => scopeOf(views), [views]);
  const busy = views.some((view) => view.busy) || nodes.some((node) => node.busy);
  // Of nodes that failed nothing is known, not even that they have no device.
  const told = anyTold(nodes) || (settled && nodes.length === 0 && views.every(allNodesTold));
  useReportReading({ readAt: oldest(nodes), busy, refresh });
  return { names, listError: clusters.error, retryList: clusters.refetch, views, nodes, rows, answered, settled, told, findings, scope, busy, refresh };
}

export type Devices = ReturnType<typeof useDevices>;

/** How much of the devices was checked; each reason opens the list of all issues. */
export function DevicesScope({ scope, nodes, settled, answered }: Pick<Devices, "scope" | "nodes" | "settled" | "answered">) {
  const { t } = useWords();
  const text = useReasonText();
  const [open, setOpen] = useState(false);
  const shown: WholeScope = settled ? scope : { ...scope, complete: true, full: true, reasons: [] };
  const reasons = shown.reasons.map((reason) => ({
    key: reason.key,
    link: <button type="button" className="why" aria-haspopup="dialog" onClick={() => { setOpen(true); }}>{text(reason)}</button>,
  }));
  const end = settled ? undefined : <span className="muted">{t("gpu.answered", { answered, count: nodes.length })}</span>;
  // Before the first answer no number would be true.
  if (!settled && answered === 0) return <div className="scope num" role="status"><Bar width={200} />{end !== undefined && nodes.length > 0 && <span className="end">{end}</span>}</div>;
  return (
    <>
      <ScopeLine scope={shown} reasons={reasons} {...(end === undefined ? {} : { end })} />
      {open && <IssuesDialog nodes={nodes} scope={scope} onClose={() => { setOpen(false); }} />}
    </>
  );
}

function IssuesDialog({ nodes, scope, onClose }: { nodes: readonly NodeView[]; scope: WholeScope; onClose: () => void }) {
  const { t } = useWords();
  const text = useReasonText();
  const lists = scope.reasons.filter((reason) => reason.code === "nodes_unknown");
  return (
    <Dialog title={t("gpu.issues")} sub={t("gpu.issues_sub")} onClose={onClose}>
      <div className="dlb issues">
        {lists.map((reason) => <p key={reason.key}>{text(reason)}</p>)}
        {nodes.filter((node) => node.error !== null || node.answer?.issues.length).map((node) => (
          <NodeIssues key={`${node.cluster}/${node.node}`} node={node} />
        ))}
      </div>
    </Dialog>
  );
}

function NodeIssues({ node }: { node: NodeView }) {
  const { t } = useWords();
  const all = useAllClusters();
  const text = useIssueText();
  const problem = useProblemText();
  const issues = node.answer?.issues ?? [];
  return (
    <section>
      <h3 className="mono strong">{all && <>{node.cluster} / </>}{node.node}</h3>
      {node.error !== null && <p>{problem(node.error)}</p>}
      <ul>
        {issues.map((issue, index) => (
          // The same issue may stand twice; nothing but its place tells them apart.
          <li key={index}>
            <p>{text(issue)}</p>
            <p className="label"><span className="mono">{issue.code}</span>{!issue.blocks && <> · {t("gpu.issue_harmless")}</>}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The lists of nodes that could not be read, each with its reason. */
export function ListFaults({ devices }: { devices: Devices }) {
  const { t } = useWords();
  return (
    <>
      {devices.names === null && devices.listError !== null && (
        <Failed error={devices.listError} onRetry={() => { void devices.retryList(); }} />
      )}
      {devices.views.map((view) => {
        if (view.error !== null) return <Failed key={view.cluster} of={devices.views.length > 1 ? view.cluster : undefined} error={view.error} onRetry={devices.refresh} busy={view.busy} />;
        if (view.told && !view.told.complete && view.told.problem !== null) {
          return <div key={view.cluster} className="hatched listfault"><div><p>{t("gpu.nodes_unknown", { cluster: view.cluster })} {view.told.problem}</p></div></div>;
        }
        return null;
      })}
    </>
  );
}
