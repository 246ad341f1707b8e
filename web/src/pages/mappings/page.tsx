import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useMappings, useRefreshMappings, useSuggestions, type ClusterRead } from "../../api/mappings";
import { useClusterNames } from "../../components/clusters";
import { PageHead } from "../../components/head";
import { LoadingRows } from "../../components/list";
import { CreateMapping } from "../../components/plan-buttons";
import { useReportReading } from "../../components/reading";
import { Failed, StaleBanner } from "../../components/states";
import { useTyping } from "../../components/typing";
import { countMappings, type Mappings } from "../../domain/mapping";
import { NoCluster } from "../clusters/none";
import { MappingsExport, SuggestionsExport } from "./export-menu";
import { MappingFindings } from "./findings";
import { ClusterMappings } from "./matrix";
import { Suggestions } from "./suggestions";
import { ViewSwitch } from "./view";

/** All resource mappings on all nodes, what is wrong with them, and what the hardware asks for. */
export function MappingsPage() {
  const clusters = useClusterNames();
  if (clusters?.length === 0) return <NoCluster page="nav.mappings" />;
  return <Shown clusters={clusters ?? none} />;
}

const none: readonly string[] = [];

function Shown({ clusters }: { clusters: readonly string[] }) {
  const { t } = useWords();
  const { view, q = "" } = useSearch({ from: "/frame/mappings" });
  const mappings = useMappings(clusters, view !== "suggestions");
  const suggestions = useSuggestions(clusters, view === "suggestions");
  const refresh = useRefreshMappings();
  const reads: readonly ClusterRead<Read>[] = view === "suggestions" ? suggestions : mappings;
  useReportReading({ readAt: useMemo(() => oldest(reads), [reads]), busy: reads.some(({ busy }) => busy), refresh });
  const [text, type] = useTyping(q, useWriteSearch());
  const many = clusters.length > 1;
  const told = useMemo(() => mappings.flatMap((read) => read.told ?? []), [mappings]);
  return (
    <>
      <StaleBanner />
      <PageHead
        title={t("nav.mappings")}
        sub={view !== "suggestions" && told.length > 0 ? <Sub told={told} /> : undefined}
        actions={(
          <>
            {view === "suggestions" ? <SuggestionsExport reads={suggestions} /> : <MappingsExport reads={mappings} text={text} />}
            {clusters.length === 1 && <CreateMapping cluster={clusters[0] ?? ""} />}
          </>
        )}
      />
      <ViewSwitch told={told} text={text} onText={type} />
      {reads.map(({ cluster, error, busy }) => error !== null && <Failed key={cluster} of={reads.length > 1 ? cluster : undefined} error={error} busy={busy} onRetry={refresh} />)}
      {view === "suggestions" && suggestions.map((read) => read.told && <Suggestions key={read.cluster} told={read.told} named={many} />)}
      {view === "findings" && told.length > 0 && <MappingFindings told={told} many={many} />}
      {view === undefined && told.map((one) => <ClusterMappings key={one.cluster} told={one} text={text} onClear={() => { type(""); }} />)}
      {(clusters.length === 0 || reads.some((read) => read.told === null && read.error === null)) && <LoadingRows rows={6} />}
    </>
  );
}

interface Read {
  read_at: string | null;
}

function oldest(reads: readonly ClusterRead<Read>[]): number | null {
  const times = reads.flatMap(({ told }) => (told?.read_at ? [Date.parse(told.read_at)] : []));
  return times.length === 0 ? null : Math.min(...times);
}

function Sub({ told }: { told: readonly Mappings[] }) {
  const { t } = useWords();
  const { mappings, nodes, read } = countMappings(told);
  const checked = t("mapping.nodes_checked", { read, count: nodes });
  return mappings === null ? checked : `${t("mapping.count", { count: mappings })}, ${checked}`;
}

function useWriteSearch(): (text: string) => void {
  const navigate = useNavigate();
  return useCallback((text) => { void navigate({ to: ".", search: (old) => ({ ...old, q: text || undefined }), replace: true, resetScroll: false }); }, [navigate]);
}
