import { useEffect, useSyncExternalStore } from "react";

/** Whether the screen matches a media query, now and whenever it changes. */
export function useMatches(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => { list.removeEventListener("change", listener); };
    },
    () => matchMedia(query).matches,
  );
}

/** At this width tables are cards and targets are 44 px high. */
export function useNarrow(): boolean {
  return useMatches("(max-width: 768px)");
}

/** Puts a class on the body while the component is there and on is true. */
export function useBodyClass(name: string, on = true): void {
  useEffect(() => {
    if (!on) return;
    document.body.classList.add(name);
    return () => { document.body.classList.remove(name); };
  }, [name, on]);
}
