import { useState } from "react";
import { useWords } from "../../i18n/words";
import { useAddAdministrator, useChangeAdministrator, type Administrator } from "../../api/administrators";
import { useIdentity, type Role } from "../../api/session";
import { ChoiceField, FormDialog } from "../../components/form";
import { Field } from "../../components/field";
import { passwordLength } from "../../components/password";
import { fieldFaults } from "../../components/problem";
import { administratorChange } from "../../domain/administrator";
import { roles, roleOf } from "../../domain/role";

interface Draft {
  name: string;
  role: Role;
  password: string;
  subject: string;
}

/** Adds an administrator, or changes the one that is given. */
export function AdministratorForm({ of, onClose }: { of?: Administrator; onClose: () => void }) {
  const { t } = useWords();
  const own = useIdentity().name === of?.name;
  const add = useAddAdministrator();
  const change = useChangeAdministrator();
  const [draft, setDraft] = useState<Draft>({ name: of?.name ?? "", role: of?.role ?? "auditor", password: "", subject: of?.subject ?? "" });
  const set = (part: Partial<Draft>) => { setDraft({ ...draft, ...part }); };
  const send = () => {
    const done = { onSuccess: onClose };
    if (of) change.mutate({ name: of.name, change: administratorChange(of, draft) }, done);
    else add.mutate({ name: draft.name, ...administratorChange(null, draft), role: draft.role }, done);
  };
  const { error, isPending } = of ? change : add;
  const faults = fieldFaults(error);
  return (
    <FormDialog
      title={of ? t("administrator.change_title", { name: of.name }) : t("administrator.add")}
      send={of ? t("list.save") : t("administrator.add")}
      onClose={onClose} onSubmit={send} error={error} busy={isPending}
      note={of ? t("administrator.change_note") : undefined}
    >
      {!of && <Field label={t("administrator.name")} required autoComplete="off" autoCapitalize="none" spellCheck={false} hint={t("administrator.name_hint")} value={draft.name} onChange={(event) => { set({ name: event.target.value }); }} fault={faults["name"]} />}
      <ChoiceField label={t("administrator.role")} value={draft.role} choices={roles.map((role) => ({ value: role, label: t(`role.${role}`) }))} onChange={(value) => { set({ role: roleOf(value) }); }} hint={t(`administrator.may.${draft.role}`)} fault={faults["role"]} />
      {!own && <Field label={of?.has_password ? t("administrator.new_password") : t("administrator.password")} type="password" autoComplete="new-password" hint={of ? t("administrator.password_keeps") : t("administrator.password_hint", { count: passwordLength })} value={draft.password} onChange={(event) => { set({ password: event.target.value }); }} fault={faults["password"]} />}
      <Field label={t("administrator.subject")} autoComplete="off" autoCapitalize="none" spellCheck={false} hint={t("administrator.subject_hint")} value={draft.subject} onChange={(event) => { set({ subject: event.target.value }); }} fault={faults["subject"]} />
    </FormDialog>
  );
}
