import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type Administrator = Schemas["Administrator"];

const queryKey = ["administrators"];

export function useAdministrators() {
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await answer(client.GET("/api/v1/administrators", { signal }))).administrators,
  });
}

function useChange<Input, Output>(send: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: send, onSuccess: () => queries.invalidateQueries({ queryKey }) });
}

export function useAddAdministrator() {
  return useChange((body: Schemas["NewAdministrator"]) => answer(client.POST("/api/v1/administrators", { body })));
}

export function useChangeAdministrator() {
  return useChange(({ name, change }: { name: string; change: Schemas["AdministratorChange"] }) =>
    answer(client.PATCH("/api/v1/administrators/{name}", { params: { path: { name } }, body: change })));
}

export function useRemoveAdministrator() {
  return useChange((name: string) => answer(client.DELETE("/api/v1/administrators/{name}", { params: { path: { name } } })));
}
