import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { IconRefresh } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useFindings } from "../../api/findings";
import { useRetryVMs, useVMs, type ListRead } from "../../api/vms";
import { useClusterNames } from "../../components/clusters";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { ExportMenu, LoadingRows } from "../../components/list";
import { useProblemText } from "../../components/problem";
import { useReportReading } from "../../components/reading";
import { Empty, Failed, NotRead, StaleBanner } from "../../components/states";
import { useTyping } from "../../components/typing";
import { listScope } from "../../domain/export";
import { incompleteBecause } from "../../domain/scope";
import { filterVMs, oldestRead, rowsOfVMs, scopeOfVMs, vmCsv, type NodeRead, type VMInList } from "../../domain/vm";
import { NoCluster } from "../clusters/none";
import { VMFilters } from "./filters";
import { VMsScope } from "./scope";
import { VMTable } from "./table";

/** Every VM with passthrough: its lines, what they name, and what is to be done. */
export function VMsPage() {
  const clusters = useClusterNames();
  if (clusters?.length === 0) return <NoCluster page="nav.vms" />;
  return <VMs clusters={clusters ?? none} />;
}

const none: readonly string[] = [];

function VMs({ clusters }: { clusters: readonly string[] }) {
  const { t } = useWords();
  const { cluster, q = "", node = "", via } = useSearch({ from: "/frame/vms" });
  const { lists, nodes, refresh } = useVMs(clusters);
  const rows = useMemo(() => rowsOfVMs(nodes), [nodes]);
  const [text, type] = useTyping(q, useWriteSearch());
  const shown = useMemo(() => filterVMs(rows, { q: text, node, via: via ?? null }), [rows, text, node, via]);
  const whole = lists.every((list) => list.error === null && list.problem === null);
  const busy = lists.some((list) => list.busy) || nodes.some((one) => one.busy);
  const settled = lists.length > 0 && lists.every((list) => !list.pending) && nodes.every((one) => !one.pending);
  const findings = useFindings(clusters, settled);
  const scope = useMemo(() => scopeOfVMs(nodes, whole), [nodes, whole]);
  useReportReading({ readAt: useMemo(() => oldestRead(nodes), [nodes]), busy, refresh });
  return (
    <>
      <StaleBanner />
      <PageHead title={t("nav.vms")} sub={rows.length > 0 ? <Count rows={rows} /> : undefined} actions={shown.length > 0 && <ExportMenu name="vms" columns={vmCsv} rows={shown} scope={listScope(incompleteBecause(scope, settled), { cluster, q, node, via })} />} />
      <ListFaults lists={lists} onRetry={refresh} />
      <VMFilters nodes={nodes} text={text} onText={type} />
      {nodes.length > 0 && <VMsScope nodes={nodes} settled={settled} whole={whole} />}
      {shown.length > 0 && <VMTable rows={shown} manyClusters={clusters.length > 1} findings={findings.clusters} />}
      <SilentNodes nodes={nodes} />
      {!settled && <LoadingRows rows={shown.length > 0 ? 1 : 6} />}
      {settled && nodes.length === 0 && whole && <Empty title={t("overview.no_nodes")} />}
      {settled && shown.length === 0 && nodes.some((one) => one.vms !== null) && <Nothing filtered={rows.length > 0} proven={scope.full && scope.complete} onClear={type} />}
    </>
  );
}

/** How many VMs have passthrough, and of how many that is not known. */
function Count({ rows }: { rows: readonly VMInList[] }) {
  const { t } = useWords();
  const unread = rows.filter((row) => row.lines === null).length;
  return <>{t("vm.count", { count: rows.length - unread })}{unread > 0 && <> · {t("vm.count_unread", { count: unread })}</>}</>;
}

function useWriteSearch(): (text: string) => void {
  const navigate = useNavigate();
  return useCallback((text) => { void navigate({ to: ".", search: (old) => ({ ...old, q: text || undefined }), replace: true, resetScroll: false }); }, [navigate]);
}

interface NothingProps {
  filtered: boolean;
  /** All VMs were visible and read. */
  proven: boolean;
  onClear: (text: string) => void;
}

function Nothing({ filtered, proven, onClear }: NothingProps) {
  const { t } = useWords();
  const navigate = useNavigate();
  if (!filtered) return proven ? <Empty title={t("vm.empty")}><p>{t("vm.empty_why")}</p></Empty> : <Empty title={t("vm.empty_unproven")}><p>{t("vm.empty_unproven_why")}</p></Empty>;
  const clear = () => { onClear(""); void navigate({ to: ".", search: (old) => ({ cluster: old.cluster }) }); };
  return <Empty title={t("vm.none_found")} action={<button type="button" className="btn" onClick={clear}>{t("list.all")}</button>} />;
}

/** The lists of nodes that did not come, or came short. */
function ListFaults({ lists, onRetry }: { lists: readonly ListRead[]; onRetry: () => void }) {
  const { t } = useWords();
  return (
    <>
      {lists.map((list) => {
        if (list.error !== null) return <Failed key={list.cluster} of={lists.length > 1 ? list.cluster : undefined} error={list.error} busy={list.busy} onRetry={onRetry} />;
        if (list.problem !== null) return <NotRead key={list.cluster}>{t("vm.nodes_short", { cluster: list.cluster })} <span lang="en">{list.problem}</span></NotRead>;
        return null;
      })}
    </>
  );
}

/** The nodes that gave no answer, each with its reason, where their VMs would stand. */
function SilentNodes({ nodes }: { nodes: readonly NodeRead[] }) {
  const { t } = useWords();
  const problem = useProblemText();
  const retry = useRetryVMs();
  return (
    <>
      {nodes.filter((node) => node.error !== null).map((node) => (
        <div key={`${node.cluster}/${node.node}`} className="silent">
          <NotRead action={<button type="button" className="btn" disabled={node.busy} onClick={() => { retry(node.cluster, node.node); }}><Icon of={IconRefresh} />{t("frame.retry")}</button>}>
            <b className="mono strong">{node.node}</b> {t("vm.node_failed")} {problem(node.error)}
          </NotRead>
        </div>
      ))}
    </>
  );
}
