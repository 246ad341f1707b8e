import { useState } from "react";
import { useWords } from "../../i18n/words";
import { useAllClusters } from "../../components/cluster";
import { Dialog } from "../../components/dialog";
import { useProblemText } from "../../components/problem";
import { ScopeLine } from "../../components/scope";
import { Bar } from "../../components/states";
import { useIssueText, useReasonText } from "../../components/words";
import { scopeOfVMs, type NodeRead } from "../../domain/vm";

/** How much was checked. While nodes are still to come nothing is called incomplete for want of them. */
export function VMsScope({ nodes, settled, whole }: { nodes: readonly NodeRead[]; settled: boolean; whole: boolean }) {
  const { t } = useWords();
  const text = useReasonText();
  const [open, setOpen] = useState(false);
  const scope = scopeOfVMs(nodes, whole);
  const shown = settled ? scope : { ...scope, complete: true, full: true, reasons: [] };
  const reasons = shown.reasons.map((reason) => ({
    key: reason.key,
    link: <button type="button" className="why" aria-haspopup="dialog" onClick={() => { setOpen(true); }}>{text(reason)}</button>,
  }));
  const answered = nodes.filter((node) => !node.pending).length;
  const end = settled ? undefined : <span className="muted">{t("vm.answered", { answered, count: nodes.length })}</span>;
  // Before the first answer no number would be true.
  if (!settled && answered === 0) return <div className="scope-gap"><div className="scope num" role="status"><Bar width={200} /><span className="end">{end}</span></div></div>;
  return (
    <div className="scope-gap">
      <ScopeLine scope={shown} reasons={reasons} end={end} />
      {open && <Issues nodes={nodes} onClose={() => { setOpen(false); }} />}
    </div>
  );
}

function Issues({ nodes, onClose }: { nodes: readonly NodeRead[]; onClose: () => void }) {
  const { t } = useWords();
  const all = useAllClusters();
  const text = useIssueText();
  const problem = useProblemText();
  return (
    <Dialog title={t("vm.issues")} sub={t("vm.issues_sub")} onClose={onClose}>
      <div className="dlb issues">
        {nodes.filter((node) => node.error !== null || node.scope?.issues.length).map((node) => (
          <section key={`${node.cluster}/${node.node}`}>
            <h3 className="mono strong">{all && <>{node.cluster} / </>}{node.node}</h3>
            {node.error !== null && <p>{problem(node.error)}</p>}
            <ul>{node.scope?.issues.map((issue, index) => <li key={index}><p>{text(issue)}</p><p className="label mono">{issue.code}</p></li>)}</ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
