import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { severities, type Severity } from "../../domain/findings";
import { frameRoute, textParam } from "../../root";

/** What of the list is shown, and the code whose explanation is open. */
export interface FindingsSearch {
  severity?: Severity | undefined;
  code?: string | undefined;
  node?: string | undefined;
  about?: string | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/findings",
  validateSearch: (search: Record<string, unknown>): FindingsSearch => ({
    severity: severities.find((severity) => severity === search["severity"]),
    code: textParam(search["code"]),
    node: textParam(search["node"]),
    about: textParam(search["about"]),
  }),
  component: lazyRouteComponent(() => import("./page"), "FindingsPage"),
});
