import { useState, type SyntheticEvent } from "react";
import { useWords } from "../i18n/words";
import { useChangePassword, useIdentity } from "../api/session";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { fieldFaults, FormFault } from "./problem";

/** The shortest password that the server takes. */
export const passwordLength = 12;

/** Changes one's own password. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const { name } = useIdentity();
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [wanted, setWanted] = useState("");
  const faults = fieldFaults(change.error);
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate({ current, new: wanted });
  };
  if (change.isSuccess) {
    return (
      <Dialog title={t("account.password")} onClose={onClose}>
        <div className="dlb" role="status"><p>{t("account.password_changed")}</p></div>
        <div className="dlf"><span className="acts"><button type="button" className="btn primary" onClick={onClose}>{t("frame.close")}</button></span></div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("account.password")} onClose={onClose}>
      <form onSubmit={send}>
        <div className="dlb fields">
          {change.error && <FormFault error={change.error} changes />}
          <input className="sr" tabIndex={-1} aria-hidden type="text" autoComplete="username" value={name} readOnly />
          <Field label={t("account.current")} type="password" autoComplete="current-password" required value={current} onChange={(event) => { setCurrent(event.target.value); }} fault={faults["current"]} />
          <Field label={t("account.new")} type="password" autoComplete="new-password" required minLength={passwordLength} value={wanted} onChange={(event) => { setWanted(event.target.value); }} hint={t("account.length", { count: passwordLength })} fault={faults["new"]} />
        </div>
        <div className="dlf">
          <span className="label">{t("account.others_end")}</span>
          <span className="acts">
            <button type="button" className="btn" onClick={onClose}>{t("frame.cancel")}</button>
            <button type="submit" className="btn primary" disabled={change.isPending}>{t("account.change")}</button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}
