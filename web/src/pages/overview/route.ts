import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { DeviceState } from "../../domain/inventory";
import { stateParam } from "../../domain/state-param";
import { frameRoute } from "../../root";

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { state?: DeviceState | undefined } => ({ state: stateParam(search["state"]) }),
  component: lazyRouteComponent(() => import("./page"), "OverviewPage"),
});
