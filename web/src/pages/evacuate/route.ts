import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute, textParam } from "../../root";

/** The node that is to be emptied. */
export interface EvacuateSearch {
  node?: string | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/evacuate",
  validateSearch: (search: Record<string, unknown>): EvacuateSearch => ({ node: textParam(search["node"]) }),
  component: lazyRouteComponent(() => import("./page"), "EvacuatePage"),
});
