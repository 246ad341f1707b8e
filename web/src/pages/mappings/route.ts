import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute, textParam } from "../../root";

export const views = ["findings", "suggestions"] as const;

/** What of the mappings is shown; without a view the matrix. */
export interface MappingsSearch {
  /** The mapping below the matrix; see domain/mapping. */
  mapping?: string | undefined;
  view?: (typeof views)[number] | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/mappings",
  validateSearch: (search: Record<string, unknown>): MappingsSearch => ({
    mapping: textParam(search["mapping"]),
    view: views.find((view) => view === search["view"]),
  }),
  component: lazyRouteComponent(() => import("./page"), "MappingsPage"),
});
