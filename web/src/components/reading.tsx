import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { useWords } from "../i18n/words";
import { staleAfter } from "../api/query";
import { ageOf } from "../domain/age";
import { serverNow } from "../domain/clock";
import { useBodyClass } from "./media";

/** What the page on the screen says about its data. */
export interface Reading {
  /** When the oldest part was read, in milliseconds since 1970; null: not yet. */
  readAt: number | null;
  busy: boolean;
  refresh: () => void;
}

interface ReadingState {
  reading: Reading | null;
  report: (reading: Reading | null) => void;
}

const Context = createContext<ReadingState>({ reading: null, report: () => undefined });

export function ReadingProvider({ children }: { children: ReactNode }) {
  const [reading, report] = useState<Reading | null>(null);
  const state = useMemo(() => ({ reading, report }), [reading]);
  return <Context value={state}>{children}</Context>;
}

/** Tells the header how old the data of this page are and how to read them again. refresh has to stay the same function. */
export function useReportReading({ readAt, busy, refresh }: Reading): void {
  const { report } = useContext(Context);
  useEffect(() => {
    report({ readAt, busy, refresh });
    return () => { report(null); };
  }, [report, readAt, busy, refresh]);
}

/** What the page reported; null: it has no data that age. */
export function useReading(): Reading | null {
  return useContext(Context).reading;
}

function tick(listener: () => void): () => void {
  const timer = setInterval(listener, 1000);
  // Timers stand while the machine sleeps, and nearly do so on a page out of sight.
  document.addEventListener("visibilitychange", listener);
  window.addEventListener("pageshow", listener);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", listener);
    window.removeEventListener("pageshow", listener);
  };
}

/** The time of the server, in whole seconds of milliseconds since 1970; it changes each second. */
export function useNow(): number {
  return useSyncExternalStore(tick, () => Math.floor(serverNow() / 1000) * 1000);
}

/** The words of an age, like "14 s". */
export function useAge(readAt: number): string {
  const { t } = useWords();
  const { key, params } = ageOf(useNow() - readAt);
  return t(key, params);
}

/** Whether the data of the page are too old to be trusted without a thought. */
export function useStale(): boolean {
  const now = useNow();
  const reading = useReading();
  const stale = reading?.readAt != null && now - reading.readAt >= staleAfter;
  useBodyClass("is-stale", stale);
  return stale;
}
