import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type Token = Schemas["Token"];

const queryKey = ["tokens"];

/** One's own tokens; an administrator sees those of everybody. */
export function useTokens() {
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await answer(client.GET("/api/v1/tokens", { signal }))).tokens,
  });
}

/** Makes a token. Its secret is in this answer and in no other: nothing keeps it after the dialog. */
export function useMakeToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["NewToken"]) => answer(client.POST("/api/v1/tokens", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
    gcTime: 0,
  });
}

export function useRemoveToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(client.DELETE("/api/v1/tokens/{id}", { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
}
