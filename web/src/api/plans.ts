import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";
import { nodeQuery, nodesQuery } from "./inventory";

type Intent = Schemas["Intent"];
export type PVELogin = Schemas["PVELogin"];

/** The plan of an intent, made anew each time it is opened. One that is forced shows what was there until it comes. */
export function usePlan(cluster: string, intent: Intent) {
  return useQuery({
    queryKey: ["plan", cluster, intent],
    queryFn: ({ signal }) => answer(client.POST("/api/v1/clusters/{cluster}/plans", { params: { path: { cluster } }, body: intent, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
}

/** What is applied: the plan that was seen, and the name that was typed. */
export interface Application {
  intent: Intent;
  digest: string;
  confirm: string;
}

// The store of requests keeps what they were asked with: a password must not be in it.
const logins = new WeakMap<Application, PVELogin>();

function takeLogin(application: Application): PVELogin | undefined {
  const login = logins.get(application);
  logins.delete(application);
  return login;
}

/** Applies a plan to a cluster. What was read of the cluster is read anew afterwards, even if nobody waits for the end. */
export function useApplyPlan(cluster: string) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (application: Application) => {
      const login = takeLogin(application);
      return answer(client.POST("/api/v1/clusters/{cluster}/plans/apply", {
        params: { path: { cluster } }, body: { ...application, ...(login === undefined ? {} : { login }) },
      }));
    },
    gcTime: 0,
    onSuccess: () => {
      void queries.invalidateQueries({ predicate: ({ queryKey: [first, ...rest] }) => first === "audit" || (first !== "plan" && rest.includes(cluster)) });
    },
  });
  /** login: the user who signs in for this one plan; without, the token of the cluster does it. */
  const apply = (application: Application, login?: PVELogin) => {
    if (login) logins.set(application, login);
    mutation.mutate(application);
  };
  return { ...mutation, apply };
}

/** The nodes of a cluster, to choose from. */
export function useNodeNames(cluster: string) {
  return useQuery(nodesQuery(cluster));
}

/** The functions of a node, to choose from. */
export function useNodeDevices(cluster: string, node: string) {
  return useQuery(nodeQuery(cluster, node));
}
