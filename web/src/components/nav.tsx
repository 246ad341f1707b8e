import { useState } from "react";
import { Link, useRouter } from "@tanstack/react-router";
import { IconLayoutSidebar } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { navGroups, type NavItem } from "./frame-nav";
import { Icon } from "./icon";
import { useBodyClass, useMatches } from "./media";
import { Sign } from "./sign";

const foldKey = "pciatlas.nav";

function wasFolded(): boolean {
  try {
    return localStorage.getItem(foldKey) === "folded";
  } catch {
    return false; // Storage is switched off.
  }
}

function remember(folded: boolean): void {
  try {
    localStorage.setItem(foldKey, folded ? "folded" : "open");
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
}

/** The paths of the pages that there are. */
export function usePagePaths(): ReadonlySet<string> {
  return new Set(Object.keys(useRouter().routesByPath));
}

/** The navigation. It folds to its signs below 1200 px, or when somebody folds it. */
export function Nav({ onGo, children }: { onGo: () => void; children: React.ReactNode }) {
  const { t } = useWords();
  const paths = usePagePaths();
  const [folded, setFolded] = useState(wasFolded);
  const canFold = useMatches("(min-width: 1200px)");
  useBodyClass("nav-folded", folded && canFold);
  return (
    <nav className="nav" id="nav" aria-label={t("nav.label")}>
      {navGroups.map((group) => {
        const items = group.items.filter((item) => paths.has(item.path));
        return items.length === 0 ? null : (
          <div key={group.name}>
            <div className="grp">{t(group.name)}</div>
            {items.map((item) => <NavLink key={item.path} item={item} onGo={onGo} />)}
          </div>
        );
      })}
      {children}
      <button
        type="button"
        className="fold"
        aria-expanded={!folded}
        onClick={() => { remember(!folded); setFolded(!folded); }}
        title={folded ? t("nav.unfold") : t("nav.fold")}
      >
        <Icon of={IconLayoutSidebar} />
        <span>{folded ? t("nav.unfold") : t("nav.fold")}</span>
      </button>
    </nav>
  );
}

function NavLink({ item, onGo }: { item: NavItem; onGo: () => void }) {
  const { t } = useWords();
  return (
    <Link to={item.path} title={t(item.name)} activeOptions={{ exact: item.path === "/", includeSearch: false }} onClick={onGo}>
      {item.icon ? <Icon of={item.icon} /> : <Sign name="i-gpu" />}
      <span>{t(item.name)}</span>
    </Link>
  );
}
