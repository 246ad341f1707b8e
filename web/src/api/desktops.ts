import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type Desktop = Schemas["Desktop"];
export type ImportMode = "merge" | "replace";

const keyOf = (cluster: string) => ["desktops", cluster];

/** The registered desktops of these clusters, each as it arrives. */
export function useDesktops(clusters: readonly string[]) {
  const results = useQueries({
    queries: clusters.map((cluster) => ({
      queryKey: keyOf(cluster),
      queryFn: ({ signal }: { signal: AbortSignal }) => answer(client.GET("/api/v1/clusters/{cluster}/desktops", { params: { path: { cluster } }, signal })),
    })),
  });
  return results.map((result, at) => ({
    cluster: clusters[at] ?? "",
    // The answer of a refresh that failed stays in the store; it must not be shown.
    told: result.isError ? null : (result.data ?? null),
    error: result.isError ? result.error : null,
    busy: result.isFetching,
    retry: () => { void result.refetch(); },
  }));
}

export type DesktopList = ReturnType<typeof useDesktops>[number];

function useChange<Input, Output>(cluster: string, send: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(cluster) }),
  });
}

/** Registers a desktop, or changes the one that its VM has. */
export function usePutDesktop(cluster: string) {
  return useChange(cluster, ({ vmid, ...body }: Schemas["NewDesktop"] & { vmid: number }) =>
    answer(client.PUT("/api/v1/clusters/{cluster}/desktops/{vmid}", { params: { path: { cluster, vmid } }, body })));
}

export function useRemoveDesktop(cluster: string) {
  return useChange(cluster, (vmid: number) =>
    answer(client.DELETE("/api/v1/clusters/{cluster}/desktops/{vmid}", { params: { path: { cluster, vmid } } })));
}

/** Registers what a CSV file names: all of it or, with one fault in it, nothing. */
export function useImportDesktops(cluster: string) {
  return useChange(cluster, ({ csv, mode }: { csv: string; mode: ImportMode }) =>
    answer(client.POST("/api/v1/clusters/{cluster}/desktops/import", {
      params: { path: { cluster }, query: { mode } },
      body: csv,
      bodySerializer: (text: string) => text,
      headers: { "Content-Type": "text/csv" },
    })));
}

/** The address of the CSV file with all desktops. */
export function desktopsFile(cluster: string): string {
  return `/api/v1/clusters/${encodeURIComponent(cluster)}/desktops/export`;
}
