import { createRouter } from "@tanstack/react-router";
import { newQueryClient } from "./api/query";
import { forgetSession, sessionQuery } from "./api/session";
import { barePages, framePages } from "./pages";
import { Broken, frameRoute, NotFound, restRoute, rootRoute } from "./root";

export const queries = newQueryClient(() => {
  // Several answers may say so at once; only the first one leads away.
  if (queries.getQueryData(sessionQuery.queryKey) == null) return;
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate().then(() => { forgetSession(queries); });
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([frameRoute.addChildren([...framePages, restRoute]), ...barePages]),
  context: { queries },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
