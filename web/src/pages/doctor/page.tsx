import { useCallback } from "react";
import { Link, useSearch } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { useWords } from "../../i18n/words";
import { useDeviceDiagnosis } from "../../api/placement";
import { Checks, useCheckCounts } from "../../components/checks";
import { useAllClusters, useCluster } from "../../components/cluster";
import { useClusterNames } from "../../components/clusters";
import { CopyButton } from "../../components/copy";
import { PageHead } from "../../components/head";
import { Loaded } from "../../components/list";
import { useReportReading } from "../../components/reading";
import { Empty, StaleBanner } from "../../components/states";
import { parseDevice, type DeviceSelection } from "../../domain/select";
import { NoCluster } from "../clusters/none";

/** The checks for one function: what keeps it from a VM, whoever names it. */
export function DoctorPage() {
  const { t } = useWords();
  const clusters = useClusterNames();
  const one = useCluster();
  // Of all clusters, the address has to tell which.
  const cluster = useAllClusters() ? null : one;
  const { node, device } = useSearch({ from: "/frame/doctor" });
  const chosen = parseDevice(device, cluster, node);
  if (clusters?.length === 0) return <NoCluster page="doctor.title" />;
  if (chosen) return <OneDevice {...chosen} />;
  return (
    <>
      <PageHead title={t("doctor.title")} />
      {clusters && <Empty title={t("doctor.choose")} action={<Link to="/gpus" className="btn">{t("nav.gpus")}</Link>}><p>{t("doctor.choose_how")}</p></Empty>}
    </>
  );
}

function OneDevice({ cluster, node, address }: DeviceSelection) {
  const { t } = useWords();
  const counts = useCheckCounts();
  const query = useDeviceDiagnosis(cluster, node, address);
  const queries = useQueryClient();
  const refresh = useCallback(() => { void queries.invalidateQueries({ queryKey: ["doctor", cluster, node, address] }); }, [queries, cluster, node, address]);
  const told = query.error ? undefined : query.data;
  useReportReading({ readAt: told?.read_at ? Date.parse(told.read_at) : null, busy: query.isFetching, refresh });
  const link = `${window.location.origin}/doctor?${new URLSearchParams({ cluster, node, device: address }).toString()}`;
  return (
    <>
      <StaleBanner />
      <div className="crumb label">
        <Link to="/gpus" search={{ cluster, node }}>{t("nav.gpus")}</Link> / <Link className="mono" to="/gpus" search={{ cluster, node, device: address }}>{address}</Link>
      </div>
      <PageHead title={t("doctor.device_title", { device: address, node })} sub={told && counts(told)} actions={<CopyButton text={link}>{t("vm.copy_link")}</CopyButton>} />
      <p className="after-head muted">{t("doctor.device_sub")}</p>
      <Loaded query={query} rows={8}>{(data) => <Checks told={data} />}</Loaded>
    </>
  );
}
