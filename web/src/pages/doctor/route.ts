import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute, textParam } from "../../root";

/** The function that is looked at. */
export interface DoctorSearch {
  node?: string | undefined;
  device?: string | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/doctor",
  validateSearch: (search: Record<string, unknown>): DoctorSearch => ({ node: textParam(search["node"]), device: textParam(search["device"]) }),
  component: lazyRouteComponent(() => import("./page"), "DoctorPage"),
});
