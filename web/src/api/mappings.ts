import { useCallback, useMemo } from "react";
import { queryOptions, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type ExportFormat = Schemas["MappingExport"]["format"];

/** All mappings of a cluster on all its nodes. */
function matrixQuery(cluster: string) {
  return queryOptions({
    queryKey: ["mappings", cluster, "matrix"],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/mappings", { params: { path: { cluster } }, signal })),
  });
}

/** The mappings that the hardware of a cluster asks for. */
function suggestionsQuery(cluster: string) {
  return queryOptions({
    queryKey: ["mappings", cluster, "suggestions"],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/mappings/suggestions", { params: { path: { cluster } }, signal })),
  });
}

/** What one cluster answered, as far as it did. */
export interface ClusterRead<T> {
  cluster: string;
  /** null: nothing has come, or it failed. */
  told: T | null;
  /** null: it did not fail. */
  error: unknown;
  busy: boolean;
}

/** The mappings of several clusters, each as it arrives. */
export function useMappings(clusters: readonly string[], wanted: boolean) {
  const reads = useQueries({ queries: clusters.map((cluster) => ({ ...matrixQuery(cluster), enabled: wanted })), combine: together });
  return useRead(clusters, reads);
}

/** The suggestions for several clusters, each as it arrives. */
export function useSuggestions(clusters: readonly string[], wanted: boolean) {
  const reads = useQueries({ queries: clusters.map((cluster) => ({ ...suggestionsQuery(cluster), enabled: wanted })), combine: together });
  return useRead(clusters, reads);
}

function together<T>(results: UseQueryResult<T>[]): UseQueryResult<T>[] {
  return results;
}

function useRead<T>(clusters: readonly string[], reads: readonly UseQueryResult<T>[]): readonly ClusterRead<T>[] {
  return useMemo(() => clusters.map((cluster, at) => {
    const read = reads[at];
    // The answer of a refresh that failed stays in the store; it must not be shown.
    return { cluster, told: read?.isError ? null : (read?.data ?? null), error: read?.error ?? null, busy: read?.isFetching ?? true };
  }), [clusters, reads]);
}

/** Reads all about mappings again that is on the screen. */
export function useRefreshMappings(): () => void {
  const queries = useQueryClient();
  return useCallback(() => { void queries.invalidateQueries({ queryKey: ["mappings"] }); }, [queries]);
}

export interface WantedExport {
  cluster: string;
  format: ExportFormat;
  /** Write down what is suggested, not what is there. */
  suggested: boolean;
  /** Only this one; null: all. */
  mapping: string | null;
}

/** Mappings written down, anew each time they are asked for. */
export function useMappingExport({ cluster, format, suggested, mapping }: WantedExport) {
  return useQuery({
    queryKey: ["mapping-export", cluster, format, suggested, mapping],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/mappings/export", {
      params: { path: { cluster }, query: { format, suggested, ...(mapping === null ? {} : { mapping }) } }, signal,
    })),
    staleTime: 0,
    gcTime: 0,
  });
}
