import { IconRefresh } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { useRetryNode } from "../api/inventory";
import type { NodeView } from "../domain/inventory";
import { Icon } from "./icon";
import { ProblemSource, useProblemText } from "./problem";
import { useIssueText } from "./words";

interface UnreadNodeProps {
  view: NodeView;
  /** The name of the node stands in it. */
  named?: boolean;
  /** It stands under a table, not for tiles. */
  row?: boolean;
}

/** One hatched tile: why the node was not read, what to do, and a button for just that node. */
export function UnreadNode({ view, named = false, row = false }: UnreadNodeProps) {
  const { t } = useWords();
  const problem = useProblemText();
  const issueText = useIssueText();
  const retry = useRetryNode();
  const issue = view.answer?.issues.find(({ code }) => code === "node_unreachable" || code === "devices_unreadable" || code === "time_budget_exceeded");
  const why = view.error !== null ? problem(view.error) : issue ? issueText(issue) : t("gpu.unread.no_reason");
  const vms = view.answer?.visible_vms ?? 0;
  return (
    <div className={row ? "hatched unreadrow" : "hatched"}>
      <div>
        <div className="grow"><p>
          {named && <><b className="mono strong">{view.node}</b>{" "}</>}
          {t("gpu.unread.not_read_why", { why })} {vms > 0 ? t("gpu.unread.unknown_vms", { count: vms }) : t("gpu.unread.unknown")}
          {(view.online === false || issue?.code === "node_unreachable") && <><br />{t("gpu.unread.check_on", { node: view.node })} <span className="mono">systemctl status pveproxy</span></>}
        </p><ProblemSource error={view.error} /></div>
        <button type="button" className="btn" disabled={view.busy} onClick={() => { retry(view.cluster, view.node); }}>
          <Icon of={IconRefresh} />{t("gpu.unread.retry", { node: view.node })}
        </button>
      </div>
    </div>
  );
}
