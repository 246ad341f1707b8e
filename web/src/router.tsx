import { createRouter } from "@tanstack/react-router";
import { newQueryClient } from "./api/query";
import { forgetSession, sessionQuery } from "./api/session";
import { hearTabs } from "./api/tabs";
import { PageLoading } from "./components/frame-loading";
import { barePages, framePages } from "./pages";
import { Broken, frameRoute, NotFound, restRoute, rootRoute } from "./root";

/** Leads to the sign-in page, from which the way leads back here. */
function signedOut(): void {
  // Several answers may say so at once; only the first one leads away.
  if (queries.getQueryData(sessionQuery.queryKey) == null) return;
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate().then(() => { forgetSession(queries); });
}

export const queries = newQueryClient(signedOut);

export const router = createRouter({
  routeTree: rootRoute.addChildren([frameRoute.addChildren([...framePages, restRoute]), ...barePages]),
  context: { queries },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingComponent: PageLoading,
  defaultPendingMs: 300,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
});

/** Another page of this browser may have signed in as somebody else: what was read for the one before is not his. */
async function newSession(): Promise<void> {
  const before = queries.getQueryData(sessionQuery.queryKey);
  if (before === undefined) return;
  const now = await queries.query({ ...sessionQuery, staleTime: 0 });
  if (now === null) {
    queries.setQueryData(sessionQuery.queryKey, before);
    signedOut();
    return;
  }
  if (now.name === before?.name && now.role === before.role) return;
  forgetSession(queries);
  queries.setQueryData(sessionQuery.queryKey, now);
  await router.invalidate();
}

hearTabs((news) => {
  if (news === "signed-out") signedOut();
  // Without an answer the next read tells.
  else newSession().catch(() => undefined);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
