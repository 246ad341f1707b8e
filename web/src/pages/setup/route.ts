import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../root";

/** The page of the set-up link, whose token stands behind # and so reaches no log. */
export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: "/setup",
  component: lazyRouteComponent(() => import("./page"), "SetUpPage"),
});
