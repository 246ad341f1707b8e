import { useCallback, useMemo } from "react";
import { queryOptions, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { asServerTime } from "../domain/clock";
import { mergeFindings } from "../domain/findings";
import type { ClusterView, NodeView } from "../domain/inventory";
import { answer, client, type Schemas } from "./client";
import { findingsQuery } from "./findings";
import { limiter } from "./limit";

export type Answer = Schemas["NodeAnswer"];

// Nodes are read one by one, so that a slow one keeps no other waiting.
const sixAtATime = limiter(6);

export function nodesQuery(cluster: string) {
  return queryOptions({
    queryKey: ["inventory", cluster, "nodes"],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/nodes", { params: { path: { cluster } }, signal })),
  });
}

// All functions, because those that share an IOMMU group with a card have to be counted.
export function nodeQuery(cluster: string, node: string) {
  return queryOptions({
    queryKey: ["inventory", cluster, "node", node],
    queryFn: ({ signal }) => sixAtATime(signal, () =>
      answer(client.GET("/api/v1/clusters/{cluster}/nodes/{node}", { params: { path: { cluster, node }, query: { class: "all" } }, signal }))),
  });
}

/** All nodes of these clusters as far as they have answered, and a way to read them again. */
export function useInventory(clusters: readonly string[]): { views: readonly ClusterView[]; refresh: () => void } {
  const lists = useQueries({ queries: clusters.map(nodesQuery), combine: together });
  const wanted = useMemo(() => clusters.flatMap((cluster, at) => {
    const list = lists[at];
    const nodes = list?.isError ? [] : (list?.data?.nodes ?? []);
    return nodes.map((node) => ({ cluster, ...node }));
  }), [clusters, lists]);
  const reads = useQueries({ queries: wanted.map((node) => nodeQuery(node.cluster, node.name)), combine: together });
  const views = useMemo(() => clusters.map((cluster, at): ClusterView => {
    const list = lists[at];
    return {
      cluster,
      pending: list?.isPending ?? true,
      busy: list?.isFetching ?? true,
      // The answer of a refresh that failed stays in the store; it must not be shown.
      error: list?.isError === true ? list.error : null,
      told: list?.isError === true ? null : (list?.data ?? null),
      nodes: wanted.flatMap((node, index) => (node.cluster === cluster ? [viewOf(node, reads[index])] : [])),
    };
  }), [clusters, lists, wanted, reads]);
  const queries = useQueryClient();
  const refresh = useCallback(() => {
    for (const cluster of clusters) {
      void queries.invalidateQueries({ queryKey: ["inventory", cluster] });
      void queries.invalidateQueries({ queryKey: findingsQuery(cluster).queryKey });
    }
  }, [queries, clusters]);
  return { views, refresh };
}

function together<T>(results: UseQueryResult<T>[]): UseQueryResult<T>[] {
  return results;
}

function viewOf(node: { cluster: string; name: string; online: boolean | null }, read: UseQueryResult<Answer> | undefined): NodeView {
  const failed = read?.isError === true;
  return {
    cluster: node.cluster,
    node: node.name,
    online: node.online,
    pending: read?.isPending ?? true,
    busy: read?.isFetching ?? true,
    error: failed ? read.error : null,
    triedAt: read === undefined ? null : asServerTime(Math.max(read.dataUpdatedAt, read.errorUpdatedAt) || null),
    answer: failed ? null : (read?.data ?? null),
  };
}

/** Reads one node again. */
export function useRetryNode(): (cluster: string, node: string) => void {
  const queries = useQueryClient();
  return (cluster, node) => { void queries.invalidateQueries({ queryKey: nodeQuery(cluster, node).queryKey }); };
}

/** What is worth acting on in these clusters, the worst first; read once the nodes have answered, because it reads them all again. */
export function useClusterFindings(clusters: readonly string[], ready: boolean) {
  const results = useQueries({
    queries: clusters.map((cluster) => ({ ...findingsQuery(cluster), enabled: ready })),
    combine: together,
  });
  return useMemo(() => ({
    pending: results.some((result) => result.isPending),
    error: results.find((result) => result.isError)?.error ?? null,
    failed: clusters[results.findIndex((result) => result.isError)] ?? null,
    findings: mergeFindings(results.map((result, at) => (result.isError ? [] : (result.data?.findings ?? []).map((finding) => ({ cluster: clusters[at] ?? "", ...finding }))))),
    refresh: () => { for (const result of results) void result.refetch(); },
  }), [results, clusters]);
}

/** One function with what belongs to it. */
export function useDevice(cluster: string, node: string, address: string) {
  return useQuery(queryOptions({
    queryKey: ["inventory", cluster, "device", node, address],
    queryFn: ({ signal }) => sixAtATime(signal, () => answer(
      client.GET("/api/v1/clusters/{cluster}/nodes/{node}/devices/{address}", { params: { path: { cluster, node, address } }, signal }))),
  }));
}
