import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, isSignedOut } from "./problem";

/** Reads older than this are shown as stale, in milliseconds. */
export const staleAfter = 90_000;

/** Faults that may be over a moment later. All others are told at once. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "network" || error.code === "busy");
}

/**
 * Makes the store of what was read. Nothing is read again by itself: each read is a
 * load on the cluster, so people ask for it. signedOut is called when an answer says
 * that the session is over.
 */
export function newQueryClient(signedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) signedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: staleAfter,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) => count < 1 && mayPass(error),
        retryDelay: 1000,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
