import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../i18n/words";
import { useClusters } from "../api/clusters";
import { Select } from "./field";

/** Stands in the address for all clusters together. */
export const allClusters = "*";

/**
 * The cluster that the pages show: the one of the address, or else the first. null:
 * there is none, or it is not known yet.
 */
export function useCluster(): string | null {
  const { cluster } = useSearch({ strict: false });
  const { data } = useClusters();
  return cluster !== undefined && cluster !== allClusters ? cluster : (data?.[0]?.name ?? null);
}

/** Whether the address asks for all clusters. */
export function useAllClusters(): boolean {
  return useSearch({ strict: false }).cluster === allClusters;
}

/** Switches the cluster of all pages. Nothing is shown while there is none to choose. */
export function ClusterSelect({ width }: { width?: number }) {
  const { t } = useWords();
  const { data } = useClusters();
  const navigate = useNavigate();
  const name = useCluster();
  const all = useAllClusters();
  if (!data || data.length === 0 || name === null) return null;
  const choices = data.map((cluster) => ({ value: cluster.name, label: cluster.name }));
  if (!data.some((cluster) => cluster.name === name)) choices.unshift({ value: name, label: name });
  if (data.length > 1) choices.push({ value: allClusters, label: t("frame.all_clusters") });
  return (
    <Select
      label={t("frame.cluster")}
      {...(width === undefined ? {} : { width })}
      value={all ? allClusters : name}
      choices={choices}
      onChange={(cluster) => { void navigate({ to: ".", search: (old) => ({ ...old, cluster, node: undefined, device: undefined }) }); }}
    />
  );
}
