import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: async ({ signal }) => (await answer(client.GET("/api/v1/clusters", { signal }))).clusters,
});

/** The registered clusters. */
export function useClusters() {
  return useQuery(clustersQuery);
}

export type Cluster = Schemas["Cluster"];
export type ClusterTest = Schemas["ClusterTest"];

function useChange<Input, Output>(send: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  // What was read of a cluster may be another one's after a change of its addresses.
  return useMutation({ mutationFn: send, onSuccess: () => queries.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "session" }) });
}

export function useAddCluster() {
  return useChange((body: Schemas["NewCluster"]) => answer(client.POST("/api/v1/clusters", { body })));
}

export function useUpdateCluster() {
  return useChange(({ name, body }: { name: string; body: Schemas["ClusterUpdate"] }) =>
    answer(client.PUT("/api/v1/clusters/{cluster}", { params: { path: { cluster: name } }, body })));
}

/** Removes a cluster and its desktops. The name was typed by the one who asks for it. */
export function useRemoveCluster() {
  return useChange((name: string) =>
    answer(client.DELETE("/api/v1/clusters/{cluster}", { params: { path: { cluster: name }, query: { confirm: name } } })));
}

/** Tries a connection that is not stored. */
export function useTestConnection() {
  return useMutation({ mutationFn: (body: Schemas["NewConnection"]) => answer(client.POST("/api/v1/cluster-test", { body })) });
}

/** Tries the stored connection of a cluster, with its stored secret, anew each time it is opened. */
export function useTestCluster(name: string) {
  return useQuery({
    queryKey: ["cluster-test", name],
    queryFn: ({ signal }) => answer(client.POST("/api/v1/clusters/{cluster}/test", { params: { path: { cluster: name } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
}
