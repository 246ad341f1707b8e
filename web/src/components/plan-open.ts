import { useSyncExternalStore } from "react";
import type { Mapping } from "../domain/mapping";
import type { Intent } from "../domain/plan-intent";

/** A plan, or the form that leads to one; of: the mapping that the form changes. */
export type Planned = { cluster: string } & ({ intent: Intent } | { of: Mapping | null });

let shown: Planned | null = null;
const listeners = new Set<() => void>();

/**
 * Opens a plan over the page, or closes it with null. It does not belong to the button that
 * opens it: what is applied may take the button away, and what came of it has to stay.
 */
export function showPlan(planned: Planned | null): void {
  shown = planned;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

/** What is open; null: nothing. */
export function useShownPlan(): Planned | null {
  return useSyncExternalStore(subscribe, () => shown);
}
