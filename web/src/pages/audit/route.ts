import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute, textParam } from "../../root";

/** What the log is filtered by, and the entry that is open. Days are like 2026-11-30. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  entry?: number | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor: textParam(search["actor"]),
    action: textParam(search["action"]),
    object: textParam(search["object"]),
    since: textParam(search["since"]),
    until: textParam(search["until"]),
    entry: typeof search["entry"] === "number" ? search["entry"] : undefined,
  }),
  component: lazyRouteComponent(() => import("./page"), "AuditPage"),
});
