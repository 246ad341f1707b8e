import type { ReactNode } from "react";
import { useWords } from "../i18n/words";
import { IconRefresh } from "@tabler/icons-react";
import { formatTime } from "../domain/format";
import { Icon } from "./icon";
import { ProblemSource, useProblemText } from "./problem";
import { useAge, useReading, useStale } from "./reading";
import { Sign } from "./sign";

/** A grey bar where a word will stand; width in pixels. */
export function Bar({ width }: { width: number }) {
  return <span className="skel" style={{ width }} aria-hidden />;
}

/** Where a sign will stand. */
export function Dot() {
  return <span className="skel round" aria-hidden />;
}

/** Nothing is here: what was read, why, and one next step. */
export function Empty({ title, children, action }: { title: ReactNode; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="panel">
      <div className="empty">
        <b>{title}</b>
        {children}
        {action}
      </div>
    </div>
  );
}

/** Not read, where the missing things would stand: the reason, the fix and a button for just that part. */
export function NotRead({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="hatched">
      <div>
        <div className="grow">{children}</div>
        {action}
      </div>
    </div>
  );
}

/** A value that was not told, with words on what would tell. */
export function NotTold({ children }: { children: ReactNode }) {
  return <span className="nottold">{children}</span>;
}

interface FailedProps {
  /** What was read, where several are. */
  of?: string | undefined;
  error: unknown;
  onRetry?: () => void;
  busy?: boolean;
}

/** A read failed: the reason, what to quote, and Retry. The old list must be gone. */
export function Failed({ of, error, onRetry, busy = false }: FailedProps) {
  const { t } = useWords();
  const text = useProblemText();
  return (
    <div className="failed" role="alert">
      <span className="is-error"><Sign name="v-error" label={t("severity.error")} /></span>
      <div>
        <p>{of !== undefined && <b className="strong"><bdi>{of}</bdi>: </b>}{text(error)}</p>
        <ProblemSource error={error} />
      </div>
      {onRetry && (
        <button type="button" className="btn" onClick={onRetry} disabled={busy}>
          <Icon of={IconRefresh} />
          {t("frame.retry")}
        </button>
      )}
    </div>
  );
}

/** Says that the data on the page are old, once they are. Stands above the filters. */
export function StaleBanner() {
  const reading = useReading();
  const stale = useStale();
  return stale && reading?.readAt != null ? <Stale readAt={reading.readAt} refresh={reading.refresh} busy={reading.busy} /> : null;
}

function Stale({ readAt, refresh, busy }: { readAt: number; refresh: () => void; busy: boolean }) {
  const { t, i18n } = useWords();
  const age = useAge(readAt);
  return (
    <div className="banner num">
      <Sign name="m-stale" />
      <span>{t("stale.sentence", { time: formatTime(new Date(readAt), i18n.language), age })}</span>
      <button type="button" className="btn" onClick={refresh} disabled={busy}>
        <Icon of={IconRefresh} />
        {t("frame.refresh")}
      </button>
    </div>
  );
}
