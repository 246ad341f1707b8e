import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../root";

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/clusters",
  component: lazyRouteComponent(() => import("./page"), "ClustersPage"),
});
