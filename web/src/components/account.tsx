import { useState, type ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { IconChevronDown, IconKey, IconLogout, IconUser } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { forgetSession, sessionQuery, useIdentity, useSignOut } from "../api/session";
import { Dialog } from "./dialog";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { PasswordDialog } from "./password";
import { Failed } from "./states";

/** What one can do with one's own account, for the header and the navigation. */
export function useAccount(): { changePassword: () => void; signOut: () => void; dialog: ReactNode } {
  const [changing, setChanging] = useState(false);
  const queries = useQueryClient();
  const router = useRouter();
  const signOut = useSignOut();
  const leave = async () => {
    // The sign-in page sends those away who are signed in.
    queries.setQueryData(sessionQuery.queryKey, null);
    await router.navigate({ to: "/sign-in" });
    forgetSession(queries);
  };
  // Without an answer the session may live on: then nobody is told that it ended.
  const out = () => { signOut.mutate(undefined, { onSuccess: () => { void leave(); } }); };
  return {
    changePassword: () => { setChanging(true); },
    signOut: out,
    dialog: (
      <>
        {changing && <PasswordDialog onClose={() => { setChanging(false); }} />}
        {signOut.error && <StillSignedIn error={signOut.error} busy={signOut.isPending} onRetry={out} onClose={signOut.reset} />}
      </>
    ),
  };
}

function StillSignedIn({ error, busy, onRetry, onClose }: { error: unknown; busy: boolean; onRetry: () => void; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Dialog title={t("account.sign_out")} onClose={onClose}>
      <div className="dlb">
        <p>{t("account.still_in")}</p>
        <Failed error={error} busy={busy} onRetry={onRetry} />
      </div>
    </Dialog>
  );
}

export function AccountMenu({ changePassword, signOut }: { changePassword: () => void; signOut: () => void }) {
  const { t } = useWords();
  const { name, role } = useIdentity();
  return (
    <Menu
      label={t("account.menu", { name, role: t(`role.${role}`) })}
      button={<><Icon of={IconUser} /><span>{name}</span><Icon of={IconChevronDown} /></>}
      items={[
        { key: "password", label: <><Icon of={IconKey} />{t("account.password")}</>, onSelect: changePassword },
        { key: "out", label: <><Icon of={IconLogout} />{t("account.sign_out")}</>, onSelect: signOut },
      ]}
    />
  );
}
