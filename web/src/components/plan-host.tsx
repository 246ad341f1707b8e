import { lazy, Suspense, useEffect, useRef } from "react";
import { useLocation } from "@tanstack/react-router";
import { showPlan, useShownPlan } from "./plan-open";

// Most readers never open a plan.
const PlanDialog = lazy(async () => ({ default: (await import("../pages/plans/dialog")).PlanDialog }));
const MappingForm = lazy(async () => ({ default: (await import("../pages/plans/form")).MappingForm }));

/** The place of the plan that is open. Whoever goes to another page closes it. */
export function PlanHost() {
  const planned = useShownPlan();
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => close, [path]);
  useFocusAfter(planned !== null);
  if (planned === null) return null;
  const { cluster } = planned;
  return (
    <Suspense fallback={null}>
      {"intent" in planned
        ? <PlanDialog cluster={cluster} intent={planned.intent} onClose={close} />
        : <MappingForm cluster={cluster} {...(planned.of === null ? {} : { of: planned.of })} onClose={close} />}
    </Suspense>
  );
}

function close(): void {
  showPlan(null);
}

/** The button that opened it may be gone: then the page has the focus. */
function useFocusAfter(open: boolean): void {
  const was = useRef(open);
  useEffect(() => {
    if (was.current && !open && document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
    was.current = open;
  }, [open]);
}
