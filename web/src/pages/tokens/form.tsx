import { useState } from "react";
import { useWords } from "../../i18n/words";
import { useIdentity } from "../../api/session";
import { useMakeToken } from "../../api/tokens";
import { Raw } from "../../components/copy";
import { Dialog } from "../../components/dialog";
import { ChoiceField, FormDialog } from "../../components/form";
import { Field } from "../../components/field";
import { fieldFaults } from "../../components/problem";
import { roleOf, rolesUpTo } from "../../domain/role";
import { expiryOf, lifetimes } from "../../domain/token";

/** Makes a token, then shows its text this once. */
export function TokenForm({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const { role: own } = useIdentity();
  const make = useMakeToken();
  const [name, setName] = useState("");
  const [role, setRole] = useState(roleOf("auditor"));
  const [days, setDays] = useState("90");
  if (make.data) return <Secret text={make.data.secret} name={make.data.name} onClose={onClose} />;
  const faults = fieldFaults(make.error);
  const send = () => {
    const ends = expiryOf(days, Date.now());
    make.mutate({ name: name.trim(), role, ...(ends === null ? {} : { expires_at: ends }) });
  };
  return (
    <FormDialog title={t("token.make")} send={t("token.make")} onClose={onClose} onSubmit={send} error={make.error} busy={make.isPending}>
      <Field label={t("token.name")} required maxLength={100} autoComplete="off" hint={t("token.name_hint")} value={name} onChange={(event) => { setName(event.target.value); }} fault={faults["name"]} />
      <ChoiceField label={t("administrator.role")} value={role} choices={rolesUpTo(own).map((one) => ({ value: one, label: t(`role.${one}`) }))} onChange={(value) => { setRole(roleOf(value)); }} hint={t(`administrator.may.${role}`)} fault={faults["role"]} />
      <ChoiceField label={t("token.lifetime")} value={days} choices={lifetimes.map((one) => ({ value: one, label: one === "" ? t("token.forever") : t("token.days", { count: Number(one) }) }))} onChange={setDays} fault={faults["expires_at"]} />
    </FormDialog>
  );
}

function Secret({ text, name, onClose }: { text: string; name: string; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Dialog title={t("token.made_title", { name })} onClose={onClose}>
      <div className="dlb secret">
        <p role="status">{t("token.once")}</p>
        <Raw text={text} label={t("token.copy")} />
        <p className="label">{t("token.use")}</p>
        <Raw text={`curl -H 'Authorization: Bearer …' ${window.location.origin}/api/v1/session`} label={t("token.copy_use")} />
      </div>
      <div className="dlf"><span className="acts"><button type="button" className="btn primary" onClick={onClose}>{t("token.kept")}</button></span></div>
    </Dialog>
  );
}
