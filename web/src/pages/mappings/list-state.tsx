import { useNavigate } from "@tanstack/react-router";
import { IconRefresh } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useRefreshMappings } from "../../api/mappings";
import { Icon } from "../../components/icon";
import { Sign } from "../../components/sign";
import { Empty, NotRead } from "../../components/states";
import type { Mappings } from "../../domain/mapping";

/** Says of a list of mappings that it was not read, may be short, or is empty; nothing of one that is whole. */
export function ListState({ told }: { told: Mappings }) {
  const { t } = useWords();
  if (told.mappings === null) return <Unread told={told} />;
  return (
    <>
      {told.read !== "ok" && <div className="listfault"><NotRead><p>{t("mapping.list_short")} <Reason told={told} /></p></NotRead></div>}
      {told.read === "ok" && <ScopeNote scope={told.scope} fault={told.scope_fault} reason={told.scope_reason} words="list" />}
      {told.mappings.length === 0 && <NoMappings proven={told.read === "ok" && told.scope === "proven"} />}
      {told.dropped_lines.length > 0 && <Dropped lines={told.dropped_lines} />}
    </>
  );
}

function Unread({ told }: { told: Mappings }) {
  const { t } = useWords();
  const refresh = useRefreshMappings();
  return (
    <NotRead action={<button type="button" className="btn" onClick={refresh}><Icon of={IconRefresh} />{t("frame.refresh")}</button>}>
      <p>{t("mapping.list_unread")} <Reason told={told} /></p>
      <p className="label">{t("mapping.list_needs", { privilege: "Mapping.Audit", path: "/mapping/pci" })}</p>
    </NotRead>
  );
}

/** What the server says about it, which it says in English. */
function Reason({ told }: { told: Mappings }) {
  return told.scope_reason === null ? null : <span lang="en">{told.scope_reason}</span>;
}

const sentences = {
  list: { unproven: "mapping.list_unproven", assumed: "mapping.list_assumed" },
  suggestions: { unproven: "mapping.suggestions_unproven", assumed: "mapping.suggestions_assumed" },
} as const;

interface ScopeNoteProps {
  scope: Mappings["scope"];
  fault: string | null;
  reason: string | null;
  /** What rests on the list. */
  words: keyof typeof sentences;
}

/** Says that a list of mappings was not proven whole, and where to look; nothing if it was. */
export function ScopeNote({ scope, fault, reason, words }: ScopeNoteProps) {
  const { t } = useWords();
  if (scope === "proven") return null;
  return (
    <div className="scope incomplete mapscope" role="status">
      <span className="is-review"><Sign name="s-review" /></span>
      <div>
        <p>{t(sentences[words][scope === "assumed" ? "assumed" : "unproven"])}{fault !== null && <> {t("mapping.look_at")} <span className="mono">{fault}</span></>}</p>
        {reason !== null && <p className="label" lang="en">{reason}</p>}
      </div>
    </div>
  );
}

function NoMappings({ proven }: { proven: boolean }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const suggest = <button type="button" className="btn" onClick={() => { void navigate({ to: "/mappings", search: (old) => ({ cluster: old.cluster, view: "suggestions" }) }); }}>{t("mapping.view_suggestions")}</button>;
  if (proven) return <Empty title={t("mapping.empty")} action={suggest}><p>{t("mapping.empty_why")}</p></Empty>;
  return <Empty title={t("mapping.empty_unproven")} action={suggest}><p>{t("mapping.empty_unproven_why")}</p></Empty>;
}

/** Lines of the file of mappings that Proxmox VE drops without a word. */
function Dropped({ lines }: { lines: Mappings["dropped_lines"] }) {
  const { t } = useWords();
  return (
    <div className="listfault">
      <NotRead>
        <p>{t("mapping.dropped")}</p>
        <ul>{lines.map((line) => <li key={line.line}><span className="num">{line.line}</span> <code className="mono">{line.text}</code> <span className="label" lang="en">{line.reason}</span></li>)}</ul>
      </NotRead>
    </div>
  );
}
