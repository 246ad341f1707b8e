import { useState, type SyntheticEvent } from "react";
import { Link, useRouter } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useSetUp } from "../../api/session";
import { Field } from "../../components/field";
import { useTitle } from "../../components/head";
import { PlainHeader } from "../../components/header";
import { useBodyClass } from "../../components/media";
import { passwordLength } from "../../components/password";
import { fieldFaults, FormFault } from "../../components/problem";

/** Takes the token out of the address, so that it stays in no history and no picture of the screen. */
function takeToken(): string {
  const token = window.location.hash.slice(1);
  if (token !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  return token;
}

export function SetUpPage() {
  const { t } = useWords();
  const [token] = useState(takeToken);
  useTitle(t("setup.title"));
  useBodyClass("page-signin");
  return (
    <>
      <PlainHeader />
      <main className="signin" id="main">
        <div className="sform">
          <h1>{t("setup.title")}</h1>
          {token === "" ? <NoToken /> : <SetUpForm token={token} />}
        </div>
      </main>
    </>
  );
}

function NoToken() {
  const { t } = useWords();
  return (
    <>
      <p>{t("setup.no_token")}</p>
      <Link className="btn" to="/sign-in">{t("signin.title")}</Link>
    </>
  );
}

function SetUpForm({ token }: { token: string }) {
  const { t } = useWords();
  const router = useRouter();
  const setUp = useSetUp();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const faults = fieldFaults(setUp.error);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setUp.mutate({ token, name, password }, { onSuccess: () => { router.history.replace("/"); } });
  };
  return (
    <form className="ways" onSubmit={submit}>
      <p className="muted">{t("setup.about")}</p>
      {setUp.error && <FormFault error={setUp.error} />}
      <Field label={t("signin.name")} autoComplete="username" autoCapitalize="none" spellCheck={false} required value={name} onChange={(event) => { setName(event.target.value); }} fault={faults["name"]} />
      <Field label={t("signin.password")} type="password" autoComplete="new-password" required minLength={passwordLength} hint={t("account.length", { count: passwordLength })} value={password} onChange={(event) => { setPassword(event.target.value); }} fault={faults["password"]} />
      <button type="submit" className="btn primary" disabled={setUp.isPending}>{t("setup.go")}</button>
    </form>
  );
}
