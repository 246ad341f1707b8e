import { useMemo } from "react";
import { queryOptions, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type Finding = Schemas["Finding"];
export type ListedFinding = Schemas["ListedFinding"];
export type FindingCode = Schemas["FindingCode"];

/** All findings of a cluster, the worst first. */
export function findingsQuery(cluster: string) {
  return queryOptions({
    queryKey: ["findings", cluster],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/findings", { params: { path: { cluster } }, signal })),
  });
}

/** What each code means. It changes with the version of the server only. */
export function useFindingCodes() {
  return useQuery({
    queryKey: ["finding-codes"],
    queryFn: async ({ signal }) => (await answer(client.GET("/api/v1/finding-codes", { signal }))).codes,
    staleTime: Infinity,
  });
}

/** The findings of several clusters, each as it arrives. */
export function useFindings(clusters: readonly string[], ready = true) {
  const results = useQueries({ queries: clusters.map((cluster) => ({ ...findingsQuery(cluster), enabled: ready })), combine: together });
  const queries = useQueryClient();
  const refresh = useMemo(() => () => { void queries.invalidateQueries({ queryKey: ["findings"] }); }, [queries]);
  return useMemo(() => ({
    clusters: results.map((result, at) => ({
      cluster: clusters[at] ?? "",
      // The answer of a refresh that failed stays in the store; it must not be shown.
      told: result.isError ? null : (result.data ?? null),
      error: result.error,
      busy: result.isFetching,
    })),
    refresh,
  }), [results, clusters, refresh]);
}

function together<T>(results: UseQueryResult<T>[]): UseQueryResult<T>[] {
  return results;
}
