import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { dayOf } from "../../domain/audit";
import { frameRoute, textParam } from "../../root";

/** What the log is filtered by, and the entry that is open. Days are like 2026-11-30. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  entry?: number | string | undefined;
}

export const route = createRoute({
  getParentRoute: () => frameRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor: textParam(search["actor"]),
    action: textParam(search["action"]),
    object: textParam(search["object"]),
    since: dayOf(textParam(search["since"])),
    until: dayOf(textParam(search["until"])),
    entry: typeof search["entry"] === "number" ? search["entry"] : textParam(search["entry"]),
  }),
  component: lazyRouteComponent(() => import("./page"), "AuditPage"),
});
