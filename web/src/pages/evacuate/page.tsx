import { useCallback } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useWords } from "../../i18n/words";
import { nodesQuery } from "../../api/inventory";
import { useEvacuation } from "../../api/placement";
import { useAllClusters, useCluster } from "../../components/cluster";
import { useClusterNames } from "../../components/clusters";
import { Select } from "../../components/field";
import { PageHead } from "../../components/head";
import { Loaded } from "../../components/list";
import { useReportReading } from "../../components/reading";
import { Empty, Failed, StaleBanner } from "../../components/states";
import { compareNames } from "../../domain/inventory";
import { NoCluster } from "../clusters/none";
import { Told } from "./told";

/** What keeps the VMs of a node there, and where each could go. */
export function EvacuatePage() {
  const { t } = useWords();
  const clusters = useClusterNames();
  const cluster = useCluster();
  const all = useAllClusters();
  const { node } = useSearch({ from: "/frame/evacuate" });
  if (clusters?.length === 0) return <NoCluster page="evacuate.title" />;
  if (all) {
    return (
      <>
        <PageHead title={t("evacuate.title")} />
        <Empty title={t("evacuate.choose")} action={<ClusterLinks clusters={clusters ?? []} />}><p>{t("evacuate.choose_cluster")}</p></Empty>
      </>
    );
  }
  if (cluster === null) return <PageHead title={t("evacuate.title")} />;
  if (node !== undefined) return <OneNode cluster={cluster} node={node} />;
  return (
    <>
      <PageHead title={t("evacuate.title")} />
      <NodeSelect cluster={cluster} node={undefined} />
      <Empty title={t("evacuate.choose")}><p>{t("evacuate.choose_how")}</p></Empty>
    </>
  );
}

function ClusterLinks({ clusters }: { clusters: readonly string[] }) {
  return <span className="secbtns">{clusters.map((name) => <Link key={name} className="btn" to="/evacuate" search={{ cluster: name, node: undefined }}>{name}</Link>)}</span>;
}

function NodeSelect({ cluster, node }: { cluster: string; node: string | undefined }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const query = useQuery(nodesQuery(cluster));
  const told = query.isError ? [] : (query.data?.nodes ?? []).map(({ name }) => name);
  const names = [...new Set([...told, ...(node === undefined ? [] : [node])])].sort(compareNames);
  const choices = [...(node === undefined ? [{ value: "", label: t("evacuate.node") }] : []), ...names.map((name) => ({ value: name, label: name }))];
  return (
    <>
      <div className="filters">
        <Select label={t("evacuate.node")} width={160} value={node ?? ""} choices={choices} onChange={(value) => { void navigate({ to: "/evacuate", search: { cluster, node: value || undefined } }); }} />
      </div>
      {node === undefined && query.isError && <Failed error={query.error} busy={query.isFetching} onRetry={() => { void query.refetch(); }} />}
    </>
  );
}

function OneNode({ cluster, node }: { cluster: string; node: string }) {
  const { t } = useWords();
  const query = useEvacuation(cluster, node);
  const queries = useQueryClient();
  const refresh = useCallback(() => { void queries.invalidateQueries({ queryKey: ["evacuation", cluster, node] }); }, [queries, cluster, node]);
  const told = query.error ? undefined : query.data;
  useReportReading({ readAt: told?.read_at ? Date.parse(told.read_at) : null, busy: query.isFetching, refresh });
  return (
    <>
      <StaleBanner />
      <PageHead title={t("evacuate.title_of", { node })} sub={t("evacuate.sub")} />
      <NodeSelect cluster={cluster} node={node} />
      <Loaded query={query} rows={6}>{(data) => <Told told={data} />}</Loaded>
    </>
  );
}
