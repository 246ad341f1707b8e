import { IconArrowsLeftRight, IconPencil, IconPlus, IconTool, IconTrash, type Icon as Tabler } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import type { Schemas } from "../api/client";
import { useMay } from "../api/session";
import type { Finding } from "../domain/finding";
import type { Mapping } from "../domain/mapping";
import { fixOf, takingOf, type Intent } from "../domain/plan-intent";
import { Icon } from "./icon";
import { showPlan, type Planned } from "./plan-open";

interface OpenProps {
  words: string;
  /** Says more than the words to those who do not see what stands beside it. */
  label?: string;
  icon: Tabler;
  look?: string;
  opens: Planned;
}

/** A button that opens a plan or its form. It is there only for those who may do what they lead to. */
function Opening({ words, label, icon, look = "btn", opens }: OpenProps) {
  if (!useMay("operator")) return null;
  return <button type="button" className={look} aria-haspopup="dialog" aria-label={label} onClick={() => { showPlan(opens); }}><Icon of={icon} />{words}</button>;
}

/** Makes a new mapping of what is typed. */
export function CreateMapping({ cluster }: { cluster: string }) {
  const { t } = useWords();
  return <Opening words={t("plan.new")} icon={IconPlus} look="btn primary" opens={{ cluster, of: null }} />;
}

/** Changes a mapping. */
export function ChangeMapping({ cluster, mapping }: { cluster: string; mapping: Mapping }) {
  const { t } = useWords();
  return <Opening words={t("plan.change")} label={t("plan.title.change", { name: mapping.id })} icon={IconPencil} look="btn small" opens={{ cluster, of: mapping }} />;
}

/** Deletes a mapping. */
export function DeleteMapping({ cluster, id }: { cluster: string; id: string }) {
  const { t } = useWords();
  return <Opening opens={{ cluster, intent: { kind: "delete", mapping: id } }} words={t("plan.delete")} label={t("plan.title.delete", { name: id })} icon={IconTrash} look="btn small" />;
}

interface ConvertProps {
  cluster: string;
  vmid: number;
  /** The mapping to use; without, one that gives just the same, or a new one. */
  mapping?: string;
  small?: boolean;
}

/** Lets the lines of a VM name mappings instead of addresses. */
export function ConvertVM({ cluster, vmid, mapping, small = false }: ConvertProps) {
  const { t } = useWords();
  const intent: Intent = { kind: "convert", vms: [vmid], ...(mapping === undefined ? {} : { mapping }) };
  return <Opening opens={{ cluster, intent }} words={t("plan.convert", { vmid })} icon={IconArrowsLeftRight} look={small ? "btn small" : "btn"} />;
}

/** Writes the address that a device has now, where a finding tells it; nothing where it does not. */
export function FixMoved({ cluster, finding }: { cluster: string; finding: Pick<Finding, "code" | "subject" | "params"> }) {
  const { t } = useWords();
  const intent = fixOf(finding);
  return intent && <Opening opens={{ cluster, intent }} words={t("plan.fix")} icon={IconTool} look="btn small" />;
}

/** Takes a proposed mapping as it is. */
export function TakeSuggestion({ cluster, suggestion }: { cluster: string; suggestion: Schemas["AnswerSuggestion"] }) {
  const { t } = useWords();
  return <Opening opens={{ cluster, intent: takingOf(suggestion) }} words={t(suggestion.changes ? "plan.take_entries" : "plan.take")} label={t(suggestion.changes ? "plan.title.change" : "plan.title.create", { name: suggestion.id })} icon={IconPlus} look="btn small" />;
}
