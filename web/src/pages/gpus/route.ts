import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { DeviceState } from "../../domain/inventory";
import { stateParam } from "../../domain/state-param";
import { frameRoute, textParam } from "../../root";

interface Search {
  node?: string | undefined;
  state?: DeviceState | undefined;
  /** The device in the drawer; see domain/select. */
  device?: string | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/gpus",
  validateSearch: (search: Record<string, unknown>): Search => ({
    node: textParam(search["node"]),
    state: stateParam(search["state"]),
    device: textParam(search["device"]),
  }),
  component: lazyRouteComponent(() => import("./page"), "GpusPage"),
});
