import { useEffect, useRef, useState } from "react";
import { Outlet, useLocation } from "@tanstack/react-router";
import { IconKey, IconLogout } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { useIdentity } from "../api/session";
import { useAccount } from "./account";
import { ClusterSelect } from "./cluster";
import { Header } from "./header";
import { Icon } from "./icon";
import { useBodyClass } from "./media";
import { Nav } from "./nav";
import { PlanHost } from "./plan-host";
import { ReadingProvider } from "./reading";
import { LanguageMenu, ThemeMenu } from "./switches";

/** What stands around every page of somebody who is signed in. */
export function Frame() {
  const { t } = useWords();
  const account = useAccount();
  const [navOpen, setNavOpen] = useState(false);
  useBodyClass("nav-open", navOpen);
  useEscape(navOpen, () => { setNavOpen(false); });
  const main = useFocusOnArrival();
  return (
    <ReadingProvider>
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>{t("frame.skip")}</a>
      <Header account={account} navOpen={navOpen} onNav={() => { setNavOpen(!navOpen); }} />
      <Nav onGo={() => { setNavOpen(false); }}>
        <NarrowTools {...account} />
      </Nav>
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {account.dialog}
      <PlanHost />
    </ReadingProvider>
  );
}

/** What the header has no room for on narrow screens. */
function NarrowTools({ changePassword, signOut }: { changePassword: () => void; signOut: () => void }) {
  const { t } = useWords();
  const { name, role } = useIdentity();
  return (
    <div className="tools only-narrow">
      <ClusterSelect />
      <div className="grp">{name} · {t(`role.${role}`)}</div>
      <button type="button" onClick={changePassword}><Icon of={IconKey} /><span>{t("account.password")}</span></button>
      <button type="button" onClick={signOut}><Icon of={IconLogout} /><span>{t("account.sign_out")}</span></button>
      <div className="pair"><LanguageMenu /><ThemeMenu /></div>
    </div>
  );
}

function useEscape(on: boolean, then: () => void): void {
  useEffect(() => {
    if (!on) return;
    const onKey = (event: KeyboardEvent) => { if (event.key === "Escape") then(); };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  });
}

/** Moves the focus to the page after each change of page, as a load of it would. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: (location) => location.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
