import { useState } from "react";
import { useWords } from "../../i18n/words";
import { Check, FormDialog, TextArea } from "../../components/form";
import { Field } from "../../components/field";
import type { Mapping } from "../../domain/mapping";
import type { Intent } from "../../domain/plan";
import { change, creation, draftOf, emptyMapping, entriesOf, withEntry, type MappingDraft } from "../../domain/plan-form";
import { PlanDialog } from "./dialog";
import { DevicePicker } from "./picker";

interface MappingFormProps {
  cluster: string;
  /** Changes this one; without, a new one is made. */
  of?: Mapping;
  onClose: () => void;
}

/** What a mapping is to be. It leads to the plan, which says what is wrong with it; what was typed stays on the way back. */
export function MappingForm({ cluster, of, onClose }: MappingFormProps) {
  const { t } = useWords();
  const [draft, setDraft] = useState(() => (of ? draftOf(of) : emptyMapping));
  const [intent, setIntent] = useState<Intent | null>(null);
  if (intent) return <PlanDialog cluster={cluster} intent={intent} onClose={onClose} onBack={() => { setIntent(null); }} />;
  const set = (part: Partial<MappingDraft>) => { setDraft((old) => ({ ...old, ...part })); };
  return (
    <FormDialog
      title={of ? t("plan.title.change", { name: of.id }) : t("plan.new")} sub={<span className="mono">{cluster}</span>} send={t("plan.preview")}
      onClose={onClose} onSubmit={() => { setIntent(of ? change(of, draft) : creation(draft)); }} error={null} busy={false}
      held={entriesOf(draft.entries).length === 0} note={t("plan.preview_note")} wide
    >
      {!of && <Field label={t("plan.name")} required maxLength={200} autoComplete="off" autoCapitalize="none" spellCheck={false} hint={t("plan.name_hint")} value={draft.name} onChange={(event) => { set({ name: event.target.value }); }} />}
      <Field label={t("plan.description")} maxLength={4096} autoComplete="off" value={draft.description} onChange={(event) => { set({ description: event.target.value }); }} />
      <TextArea label={t("plan.entries")} rows={Math.min(12, Math.max(3, entriesOf(draft.entries).length + 1))} mono required placeholder="id=10de:2231,iommugroup=14,node=pve-a,path=0000:17:00,subsystem-id=10de:147e" hint={t("plan.entries_hint")} value={draft.entries} onChange={(entries) => { set({ entries }); }} />
      <DevicePicker cluster={cluster} onEntry={(entry) => { set({ entries: withEntry(draft.entries, entry) }); }} />
      <Check label={t("plan.mdev")} hint={t("plan.mdev_hint")} checked={draft.mdev} onChange={(mdev) => { set({ mdev }); }} />
      <Check label={t("plan.live")} hint={t("plan.live_hint")} checked={draft.live} onChange={(live) => { set({ live }); }} />
    </FormDialog>
  );
}
