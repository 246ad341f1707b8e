import { queryOptions, useMutation, useQueryClient, useSuspenseQuery, type QueryClient } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";
import { isSignedOut } from "./problem";
import { tellTabs } from "./tabs";

export type Identity = Schemas["Identity"];
export type Role = Identity["role"];

const ranks: Record<Role, number> = { auditor: 0, operator: 1, admin: 2 };

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Identity | null> => {
    try {
      return await answer(client.GET("/api/v1/session", { signal }));
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: Infinity,
  gcTime: Infinity,
});

/** Forgets everything that was read for somebody, and who it was. */
export function forgetSession(queries: QueryClient): void {
  const kept = ["session", "sign-in"];
  queries.removeQueries({ predicate: (query) => !kept.includes(String(query.queryKey[0])) });
  queries.setQueryData(sessionQuery.queryKey, null);
}

/** Who is signed in, on the pages that need it. */
export function useIdentity(): Identity {
  const { data } = useSuspenseQuery(sessionQuery);
  // Between the end of a session and the way to the sign-in page nobody may do anything.
  return data ?? { name: "", role: "auditor", kind: "session", expires_at: null };
}

/** Whether the one who is signed in may do what this role may. */
export function useMay(role: Role): boolean {
  return ranks[useIdentity().role] >= ranks[role];
}

export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: ({ signal }) => answer(client.GET("/api/v1/sign-in", { signal })),
  staleTime: 0,
});

function useArrival<Input>(send: (input: Input) => Promise<Identity>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (identity) => {
      forgetSession(queries);
      queries.setQueryData(sessionQuery.queryKey, identity);
      tellTabs("signed-in");
    },
  });
}

export function useSignIn() {
  return useArrival((body: Schemas["Credentials"]) => answer(client.POST("/api/v1/session", { body })));
}

export function useSetUp() {
  return useArrival((body: Schemas["Setup"]) => answer(client.POST("/api/v1/setup", { body })));
}

export function useSignOut() {
  return useMutation({
    mutationFn: async () => {
      try {
        await answer(client.DELETE("/api/v1/session"));
      } catch (error) {
        // It has ended already.
        if (!isSignedOut(error)) throw error;
      }
      tellTabs("signed-out");
    },
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: Schemas["PasswordChange"]) => answer(client.PUT("/api/v1/session/password", { body })),
  });
}
