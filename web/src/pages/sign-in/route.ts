import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { sessionQuery } from "../../api/session";
import { safeBack } from "../../domain/path";
import { rootRoute, textParam } from "../../root";

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { back?: string | undefined } => ({ back: textParam(search["back"]) }),
  beforeLoad: ({ context, search }) => {
    // Whoever is signed in has nothing to do here.
    if (context.queries.getQueryData(sessionQuery.queryKey)) throw redirect({ href: safeBack(search.back), replace: true });
  },
  component: lazyRouteComponent(() => import("./page"), "SignInPage"),
});
