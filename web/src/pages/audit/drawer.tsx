import type { ReactNode } from "react";
import { useWords } from "../../i18n/words";
import { useAuditEntry, type AuditEntry } from "../../api/audit";
import { Drawer } from "../../components/drawer";
import { When } from "../../components/list";
import { Bar, Failed } from "../../components/states";
import { changesOf } from "../../domain/audit";
import { ActionWord, Actor, ResultWord } from "./words";

interface AuditDrawerProps {
  /** As the address names it; nobody has to have made an entry of it. */
  id: number | string;
  /** The entry, if the list has it. */
  listed: AuditEntry | undefined;
  /** The list is still being read. */
  waiting: boolean;
  onClose: () => void;
}

/** The entry that is open, also one that the filter or the end of the list leaves out. */
export function AuditDrawer({ id, listed, waiting, onClose }: AuditDrawerProps) {
  const read = useAuditEntry(id, listed === undefined && !waiting);
  const entry = listed ?? (read.isError ? undefined : read.data);
  if (entry) return <EntryDrawer entry={entry} onClose={onClose} />;
  return <OtherDrawer id={id} read={read} onClose={onClose} />;
}

/** There is no entry to show: it is being read, could not be, or is not there. */
function OtherDrawer({ id, read, onClose }: { id: number | string; read: ReturnType<typeof useAuditEntry>; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Drawer title={<bdi>{t("audit.entry", { id })}</bdi>} onClose={onClose}>
      <section className="sec">
        {read.isError && <Failed error={read.error} busy={read.isFetching} onRetry={() => { void read.refetch(); }} />}
        {read.isPending && <div aria-busy="true"><p><Bar width={320} /></p><p><Bar width={240} /></p></div>}
        {read.isSuccess && <p role="status">{t("audit.no_entry")}</p>}
      </section>
    </Drawer>
  );
}

/** All about one entry: what stood there before, and after. */
function EntryDrawer({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { t } = useWords();
  const changes = changesOf(entry.before, entry.after);
  return (
    <Drawer title={<ActionWord action={entry.action} />} sub={<span className="mono">{entry.object}</span>} onClose={onClose}>
      <section className="sec">
        <dl className="kv">
          <Fact name={t("audit.at")}><When at={entry.at} never="" /></Fact>
          <Fact name={t("audit.actor")}><Actor entry={entry} /></Fact>
          {entry.address !== null && <Fact name={t("audit.address")}><span className="mono">{entry.address}</span></Fact>}
          <Fact name={t("audit.result")}><ResultWord entry={entry} /></Fact>
          <Fact name={t("audit.action")}><span className="mono">{entry.action}</span></Fact>
          {entry.request_id !== null && <Fact name={t("audit.request")}><span className="mono">{entry.request_id}</span></Fact>}
        </dl>
      </section>
      <section className="sec">
        <h3>{t("audit.changes")}</h3>
        {changes.length === 0 && <p className="muted">{t("audit.no_values")}</p>}
        {changes.map((change) => (
          <div className="phase" key={change.name}>
            <div className="label mono">{change.name}</div>
            <div className="diff">
              {change.before !== null && <div><span className="sg" aria-hidden>−</span><code><span className="sr">{t("audit.before")} </span>{change.before}</code></div>}
              {change.after !== null && <div><span className="sg" aria-hidden>+</span><code><span className="sr">{t("audit.after")} </span>{change.after}</code></div>}
            </div>
          </div>
        ))}
      </section>
    </Drawer>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return <><dt>{name}</dt><dd>{children}</dd></>;
}
