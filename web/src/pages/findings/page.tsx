import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useFindings } from "../../api/findings";
import { useClusterNames } from "../../components/clusters";
import { PageHead } from "../../components/head";
import { ExportMenu, LoadingRows } from "../../components/list";
import { useReportReading } from "../../components/reading";
import { Empty, Failed, StaleBanner } from "../../components/states";
import { listScope } from "../../domain/export";
import { incompleteBecause } from "../../domain/scope";
import { filterFindings, findingCsv, mergeFindings } from "../../domain/findings";
import { NoCluster } from "../clusters/none";
import { CodeDrawer } from "./code";
import { FindingFilters } from "./filters";
import { LongFindingList } from "./list";
import { NoFindings } from "./none";
import { FindingsScope, provenBy, scopeOf } from "./scope";

const none: readonly string[] = [];

/** Everything worth acting on, with what it rests on and what to do. */
export function FindingsPage() {
  const clusters = useClusterNames();
  if (clusters?.length === 0) return <NoCluster page="nav.findings" />;
  return <Findings clusters={clusters ?? none} />;
}

function Findings({ clusters: names }: { clusters: readonly string[] }) {
  const { t } = useWords();
  const { cluster, severity, code = "", node = "", about } = useSearch({ from: "/frame/findings" });
  const { clusters, refresh } = useFindings(names);
  const times = clusters.flatMap(({ told }) => (told?.read_at ? [Date.parse(told.read_at)] : []));
  useReportReading({ readAt: times.length === 0 ? null : Math.min(...times), busy: clusters.some((one) => one.busy), refresh });
  const all = useMemo(() => mergeFindings(clusters.map(({ cluster, told }) => (told?.findings ?? []).map((finding) => ({ cluster, ...finding })))), [clusters]);
  const shown = useMemo(() => filterFindings(all, { severity: severity ?? null, code, node }), [all, severity, code, node]);
  const pending = clusters.length === 0 || clusters.some(({ told, error }) => told === null && error === null);
  const nodes = useMemo(() => clusters.flatMap(({ told }) => told?.nodes.map((scope) => scope.node) ?? []), [clusters]);
  const openCode = useOpenCode();
  const close = useCallback(() => { openCode(undefined); }, [openCode]);
  return (
    <>
      <StaleBanner />
      <PageHead title={t("nav.findings")} sub={all.length > 0 ? t("findings.count", { count: all.length }) : undefined} actions={shown.length > 0 && <ExportMenu name="findings" columns={findingCsv} rows={shown} scope={listScope(missing(clusters), { cluster, severity, code, node })} />} />
      {clusters.map((one) => one.error && <Failed key={one.cluster} of={names.length > 1 ? one.cluster : undefined} error={one.error} busy={one.busy} onRetry={refresh} />)}
      <FindingFilters all={all} nodes={nodes} told={clusters.some(({ told }) => told !== null)} />
      {clusters.map(({ cluster, told }) => told && <FindingsScope key={cluster} cluster={cluster} nodes={told.nodes} named={names.length > 1} />)}
      {shown.length > 0 && <LongFindingList key={`${severity ?? ""} ${code} ${node}`} findings={shown} onCode={openCode} manyClusters={names.length > 1} />}
      {pending && <LoadingRows rows={6} />}
      {!pending && shown.length === 0 && clusters.some(({ told }) => told !== null) && <Nothing filtered={all.length > 0} proven={clusters.every(({ cluster, told }) => told !== null && provenBy(cluster, told.nodes))} />}
      {about !== undefined && <CodeDrawer code={about} onClose={close} />}
    </>
  );
}

type ClusterFindings = ReturnType<typeof useFindings>["clusters"][number];

/** What the findings do not rest on. */
function missing(clusters: readonly ClusterFindings[]): string[] {
  return clusters.flatMap(({ cluster, told }) => (told === null ? [`${cluster}: not read`] : incompleteBecause(scopeOf(cluster, told.nodes))));
}


function useOpenCode(): (code: string | undefined) => void {
  const navigate = useNavigate();
  return useMemo(() => (about: string | undefined) => { void navigate({ to: ".", search: (old) => ({ ...old, about }), resetScroll: false }); }, [navigate]);
}

function Nothing({ filtered, proven }: { filtered: boolean; proven: boolean }) {
  const { t } = useWords();
  const navigate = useNavigate();
  if (!filtered) return <NoFindings proven={proven} />;
  const clear = () => { void navigate({ to: ".", search: (old) => ({ cluster: old.cluster }) }); };
  return <Empty title={t("findings.none_found")} action={<button type="button" className="btn" onClick={clear}>{t("list.all")}</button>} />;
}
