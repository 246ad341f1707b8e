import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute, textParam } from "../../root";

/** What of the list is shown. */
export interface VMsSearch {
  node?: string | undefined;
  via?: "address" | "mapping" | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/vms",
  validateSearch: (search: Record<string, unknown>): VMsSearch => ({
    node: textParam(search["node"]),
    via: search["via"] === "address" || search["via"] === "mapping" ? search["via"] : undefined,
  }),
  component: lazyRouteComponent(() => import("./page"), "VMsPage"),
});

export const detailRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/vms/$cluster/$vmid",
  component: lazyRouteComponent(() => import("./detail"), "VMPage"),
});
