import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../api/audit";
import { Drawer } from "../../components/drawer";
import { When } from "../../components/list";
import { changesOf } from "../../domain/audit";
import { ActionWord, Actor, ResultWord } from "./words";

/** All about one entry: what stood there before, and after. */
export function AuditDrawer({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { t } = useTranslation();
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
