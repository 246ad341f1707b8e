import { useState, type SyntheticEvent } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { Select } from "../../components/field";
import { auditActions } from "../../domain/audit";
import type { AuditSearch } from "./route";

/** What of the log is shown. Words count as they are typed whole: Enter sends them. */
export function AuditFilters() {
  const { t } = useWords();
  const navigate = useNavigate();
  const search = useSearch({ from: "/frame/audit" });
  const set = (part: AuditSearch) => { void navigate({ to: ".", search: (old) => ({ ...old, ...part, entry: undefined }), replace: true }); };
  const filtered = [search.actor, search.action, search.object, search.since, search.until].some((value) => value !== undefined);
  return (
    <div className="filters">
      <Select label={t("audit.action")} value={search.action ?? ""} choices={[{ value: "", label: t("audit.any_action") }, ...auditActions.map((action) => ({ value: action, label: t(`audit.do.${action}`) }))]} onChange={(value) => { set({ action: value || undefined }); }} />
      <Words key={`actor ${search.actor ?? ""}`} label={t("audit.actor")} value={search.actor} onSend={(actor) => { set({ actor }); }} />
      <Words key={`object ${search.object ?? ""}`} label={t("audit.object")} hint={t("audit.object_hint")} value={search.object} onSend={(object) => { set({ object }); }} />
      <Day label={t("audit.since")} value={search.since} onChange={(since) => { set({ since }); }} />
      <Day label={t("audit.until")} value={search.until} onChange={(until) => { set({ until }); }} />
      {filtered && <button type="button" className="btn plain" onClick={() => { set({ actor: undefined, action: undefined, object: undefined, since: undefined, until: undefined }); }}>{t("list.all")}</button>}
    </div>
  );
}

function Words({ label, hint, value, onSend }: { label: string; hint?: string; value: string | undefined; onSend: (value: string | undefined) => void }) {
  const [text, setText] = useState(value ?? "");
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    const wanted = text.trim() || undefined;
    if (wanted !== value) onSend(wanted);
  };
  return (
    <form className="field" onSubmit={send}>
      <input aria-label={label} placeholder={hint ?? label} value={text} enterKeyHint="search" autoCapitalize="none" spellCheck={false} onChange={(event) => { setText(event.target.value); }} onBlur={send} />
    </form>
  );
}

function Day({ label, value, onChange }: { label: string; value: string | undefined; onChange: (value: string | undefined) => void }) {
  return (
    <label className="field">
      <span className="muted nw">{label}</span>
      <input type="date" value={value ?? ""} onChange={(event) => { onChange(event.target.value || undefined); }} />
    </label>
  );
}
