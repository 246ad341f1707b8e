import { useMemo } from "react";
import { useClusters } from "../api/clusters";
import { useAllClusters, useCluster } from "./cluster";

/** The clusters that the address asks for; null: not known yet. */
export function useClusterNames(): readonly string[] | null {
  const { data, isError } = useClusters();
  const one = useCluster();
  const all = useAllClusters();
  return useMemo(() => {
    if (all) return data ? data.map((cluster) => cluster.name) : null;
    if (one !== null) return [one];
    return data || isError ? [] : null;
  }, [all, one, data, isError]);
}
