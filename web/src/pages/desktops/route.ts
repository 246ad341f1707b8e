import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../root";

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/desktops",
  component: lazyRouteComponent(() => import("./page"), "DesktopsPage"),
});
