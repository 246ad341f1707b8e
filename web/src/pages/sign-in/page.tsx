import { useEffect, useState, type SyntheticEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { signInOptionsQuery, useSignIn } from "../../api/session";
import type { Schemas } from "../../api/client";
import { Field } from "../../components/field";
import { useTitle } from "../../components/head";
import { PlainHeader } from "../../components/header";
import { useBodyClass } from "../../components/media";
import { FormFault } from "../../components/problem";
import { Failed } from "../../components/states";
import { safeBack } from "../../domain/path";

export function SignInPage() {
  const { t } = useWords();
  const options = useQuery(signInOptionsQuery);
  useTitle(t("signin.title"));
  useBodyClass("page-signin");
  return (
    <>
      <PlainHeader />
      <main className="signin" id="main">
        <div className="sform">
          <h1>{t("signin.title")}</h1>
          <p className="muted">{t("signin.about")}</p>
          {options.error && <Failed error={options.error} onRetry={() => { void options.refetch(); }} />}
          {options.data && <Ways options={options.data} />}
        </div>
      </main>
    </>
  );
}

function Ways({ options }: { options: Schemas["SignInOptions"] }) {
  const { t } = useWords();
  return (
    <>
      {options.password && <PasswordForm accounts={options.demo_accounts} />}
      {options.oidc && <a className="btn" href={options.oidc.url}>{t("signin.with", { name: options.oidc.name })}</a>}
      {options.setup_needed && <p className="label">{t("signin.setup")}</p>}
    </>
  );
}

/** Name and password. A demo has its first account filled in, and signs in with the others at once. */
function PasswordForm({ accounts }: { accounts: readonly Schemas["DemoAccountWithPass"][] }) {
  const { t } = useWords();
  const first = accounts[0];
  const [name, setName] = useState(first?.name ?? "");
  const [password, setPassword] = useState(first?.password ?? "");
  const signIn = useSignIn();
  const arrive = useArrive();
  const send = (credentials: Schemas["Credentials"]) => { signIn.mutate(credentials, { onSuccess: arrive }); };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    send({ name, password });
  };
  return (
    <form className="ways" onSubmit={submit}>
      {signIn.error && <FormFault error={signIn.error} />}
      <Field label={t("signin.name")} name="name" autoFocus autoComplete="username" autoCapitalize="none" spellCheck={false} required value={name} onChange={(event) => { setName(event.target.value); }} />
      <Field label={t("signin.password")} name="password" type="password" autoComplete="current-password" required value={password} onChange={(event) => { setPassword(event.target.value); }} />
      <button type="submit" className="btn primary" disabled={signIn.isPending}>{t("signin.go")}</button>
      {accounts.length > 0 && (
        <div className="demo">
          <p className="label">{t("signin.demo")}</p>
          <div className="pair">
            {accounts.map((account) => (
              <button key={account.name} type="button" className="btn" disabled={signIn.isPending} onClick={() => { send({ name: account.name, password: account.password }); }}>
                {account.name}
              </button>
            ))}
          </div>
        </div>
      )}
    </form>
  );
}

/** Goes back to where the session ended. */
function useArrive(): () => void {
  const router = useRouter();
  const { back } = useSearch({ from: "/sign-in" });
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    if (arrived) router.history.replace(safeBack(back));
  }, [arrived, back, router]);
  return () => { setArrived(true); };
}
