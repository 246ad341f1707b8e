import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, client } from "./client";

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: async ({ signal }) => (await answer(client.GET("/api/v1/clusters", { signal }))).clusters,
});

/** The registered clusters. */
export function useClusters() {
  return useQuery(clustersQuery);
}
