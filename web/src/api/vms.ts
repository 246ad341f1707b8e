import { useCallback, useMemo } from "react";
import { queryOptions, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import type { NodeRead } from "../domain/vm";
import { answer, client, type Schemas } from "./client";
import { findingsQuery } from "./findings";
import { nodesQuery } from "./inventory";
import { limiter } from "./limit";

export type VMDetail = Schemas["VMDetail"];

// Nodes are read one by one, so that a slow one keeps no other waiting.
const sixAtATime = limiter(6);

/** The VMs of one node with hostpci lines, and those whose configuration was not read. */
function nodeVMsQuery(cluster: string, node: string) {
  return queryOptions({
    queryKey: ["vms", cluster, node],
    queryFn: ({ signal }) => sixAtATime(signal, () =>
      answer(client.GET("/api/v1/clusters/{cluster}/vms", { params: { path: { cluster }, query: { node, passthrough: true } }, signal }))),
  });
}

function together<T>(results: UseQueryResult<T>[]): UseQueryResult<T>[] {
  return results;
}

/** The list of nodes of a cluster, as far as it came. */
export interface ListRead {
  cluster: string;
  pending: boolean;
  busy: boolean;
  /** null: it did not fail. */
  error: unknown;
  /** Why it is not whole, in the server's words; null: it is. */
  problem: string | null;
}

/** The VMs of these clusters node by node, as each answers. */
export function useVMs(clusters: readonly string[]): { lists: readonly ListRead[]; nodes: readonly NodeRead[]; refresh: () => void } {
  const told = useQueries({ queries: clusters.map(nodesQuery), combine: together });
  const wanted = useMemo(
    () => clusters.flatMap((cluster, at) => (told[at]?.isError ? [] : (told[at]?.data?.nodes ?? [])).map(({ name }) => ({ cluster, node: name }))),
    [clusters, told],
  );
  const reads = useQueries({ queries: wanted.map(({ cluster, node }) => nodeVMsQuery(cluster, node)), combine: together });
  const lists = useMemo(() => clusters.map((cluster, at) => listOf(cluster, told[at])), [clusters, told]);
  const nodes = useMemo(() => wanted.map((node, at) => readOf(node, reads[at])), [wanted, reads]);
  const queries = useQueryClient();
  const refresh = useCallback(() => {
    for (const cluster of clusters) {
      for (const queryKey of [nodesQuery(cluster).queryKey, ["vms", cluster], findingsQuery(cluster).queryKey]) void queries.invalidateQueries({ queryKey });
    }
  }, [queries, clusters]);
  return { lists, nodes, refresh };
}

function listOf(cluster: string, read: UseQueryResult<Schemas["ClusterNodes"]> | undefined): ListRead {
  return {
    cluster,
    pending: read?.isPending ?? true,
    busy: read?.isFetching ?? true,
    error: read?.isError ? read.error : null,
    problem: read?.data?.complete === false ? (read.data.problem ?? "") : null,
  };
}

function readOf({ cluster, node }: { cluster: string; node: string }, read: UseQueryResult<Schemas["VMs"]> | undefined): NodeRead {
  const data = read?.isError ? undefined : read?.data;
  return {
    cluster,
    node,
    pending: read?.isPending ?? true,
    busy: read?.isFetching ?? true,
    error: read?.isError ? read.error : null,
    scope: data?.nodes.find((one) => one.node === node) ?? null,
    vms: data?.vms ?? null,
  };
}

/** Reads one node again. */
export function useRetryVMs(): (cluster: string, node: string) => void {
  const queries = useQueryClient();
  return (cluster, node) => { void queries.invalidateQueries({ queryKey: nodeVMsQuery(cluster, node).queryKey }); };
}

/** One VM. Its findings compare all nodes, so that they take longer. */
export function useVM(cluster: string, vmid: number, findings: boolean) {
  return useQuery({
    queryKey: ["vm", cluster, vmid, findings],
    queryFn: ({ signal }) =>
      answer(client.GET("/api/v1/clusters/{cluster}/vms/{vmid}", { params: { path: { cluster, vmid }, query: { findings } }, signal })),
  });
}
