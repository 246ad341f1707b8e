import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, isOutcomeUnknown, isSignedOut } from "./problem";

/** Reads older than this are shown as stale, in milliseconds. */
export const staleAfter = 90_000;

// Nobody should have to wait longer before he is told what is wrong, in seconds.
const longestWait = 5;

function waitOf(error: unknown): number {
  return (error instanceof ApiError ? error.retryAfter : null) ?? 1;
}

/** Faults that may be over a moment later. All others are told at once. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "network" || error.code === "busy") && waitOf(error) <= longestWait;
}

/**
 * Makes the store of what was read. Nothing is read again by itself: each read is a
 * load on the cluster, so people ask for it. signedOut is called when a read says that
 * the session is over. A form that is told so keeps what was typed and says it itself.
 */
export function newQueryClient(signedOut: () => void): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => { if (isSignedOut(error)) signedOut(); } }),
    mutationCache: new MutationCache({
      // What is on the screen may have changed: it is read again, and not shown as if it had not.
      onError: (error) => {
        if (isOutcomeUnknown(error)) void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== "session" && first !== "sign-in" });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: staleAfter,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) => count < 1 && mayPass(error),
        retryDelay: (_, error) => waitOf(error) * 1000,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  return queries;
}
