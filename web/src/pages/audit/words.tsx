import { useWords } from "../../i18n/words";
import type { AuditEntry } from "../../api/audit";
import { Sign } from "../../components/sign";

/** What was done, in words where there are some. */
export function ActionWord({ action }: { action: string }) {
  const { t, i18n } = useWords();
  const key = `audit.do.${action}`;
  return i18n.exists(key) ? <span>{t(key)}</span> : <span className="mono">{action}</span>;
}

/** Who did it. */
export function Actor({ entry }: { entry: AuditEntry }) {
  const { t } = useWords();
  if (entry.actor === null) return <span className="muted">{t("audit.nobody")}</span>;
  return <><span>{entry.actor}</span>{entry.actor_kind !== "person" && <span className="muted"> {t(`audit.kind.${entry.actor_kind}`)}</span>}</>;
}

/** How it ended, and why if it came to nothing. */
export function ResultWord({ entry }: { entry: AuditEntry }) {
  const { t } = useWords();
  if (entry.result === "done") return <span className="muted">{t("audit.done")}</span>;
  return (
    <div>
      <span className={entry.result === "failed" ? "is-error" : "is-warning"}>
        <Sign name={entry.result === "failed" ? "v-error" : "v-warning"} /> {t(`audit.${entry.result}`)}
      </span>
      {entry.reason !== null && <span className="label" lang="en"> {entry.reason}</span>}
    </div>
  );
}
