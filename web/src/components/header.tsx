import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { IconMenu2, IconRefresh, IconSearch, IconX } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { AccountMenu } from "./account";
import { ClusterSelect, useAllClusters, useCluster } from "./cluster";
import { Icon } from "./icon";
import { usePagePaths } from "./nav";
import { useAge, useReading, useStale } from "./reading";
import { Sign } from "./sign";
import { LanguageMenu, ThemeMenu } from "./switches";

/** The page that the search leads to. */
const devicesPath: string = "/gpus";

interface HeaderProps {
  account: { changePassword: () => void; signOut: () => void };
  navOpen: boolean;
  onNav: () => void;
}

/** The bar at the top of every page. */
export function Header({ account, navOpen, onNav }: HeaderProps) {
  const { t } = useWords();
  const [searching, setSearching] = useState(false);
  const canSearch = usePagePaths().has(devicesPath);
  return (
    <>
      <header className={searching ? "hd searching" : "hd"}>
        <button type="button" className="btn plain icon only-narrow" aria-label={t("nav.label")} aria-expanded={navOpen} aria-controls="nav" onClick={onNav}>
          <Icon of={navOpen ? IconX : IconMenu2} />
        </button>
        <Brand />
        <span className="wide"><ClusterSelect width={152} /></span>
        {canSearch && <Search onDone={() => { setSearching(false); }} />}
        <span className="grow wide" />
        <Freshness />
        {canSearch && (
          <button type="button" className="btn plain icon only-narrow" aria-label={t("frame.search")} aria-expanded={searching} onClick={() => { setSearching(!searching); }}>
            <Icon of={searching ? IconX : IconSearch} />
          </button>
        )}
        <RefreshSign />
        <span className="wide"><LanguageMenu /><ThemeMenu /></span>
        <span className="wide"><AccountMenu {...account} /></span>
      </header>
      <SubBar />
    </>
  );
}

/** Mark and name. It leads home when there is one to go to. */
export function Brand({ home = true }: { home?: boolean }) {
  const inside = <><Sign name="i-mark" /><span>pciatlas</span></>;
  return home ? <Link to="/" className="brand">{inside}</Link> : <span className="brand">{inside}</span>;
}

/** The header of pages without a session. */
export function PlainHeader() {
  return (
    <header className="hd plain">
      <Brand home={false} />
      <span className="grow" />
      <LanguageMenu />
      <ThemeMenu />
    </header>
  );
}

/** Searches the devices; `/` leads here from everywhere. */
function Search({ onDone }: { onDone: () => void }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const { q = "" } = useSearch({ strict: false });
  const [text, setText] = useState(q);
  const [shown, setShown] = useState(q);
  if (shown !== q) {
    setShown(q);
    setText(q);
  }
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    onDone();
    const wanted = text.trim();
    // Nothing to search for leaves everything as it is, but for what was searched for.
    if (wanted === "") void navigate({ to: ".", search: (old) => ({ ...old, q: undefined }) });
    else void navigate({ to: devicesPath, search: (old) => ({ cluster: old.cluster, q: wanted }) });
  };
  return (
    <form className="search" role="search" onSubmit={send}>
      <label className="field">
        <Icon of={IconSearch} />
        <input ref={input} aria-label={t("frame.search")} placeholder={t("frame.search_hint")} value={text} enterKeyHint="search" onChange={(event) => { setText(event.target.value); }} />
        <kbd aria-hidden>/</kbd>
      </label>
    </form>
  );
}

function useSlash(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, [input]);
}

/** How old the data of the page are. */
function Age({ className }: { className: string }): ReactNode {
  const reading = useReading();
  const stale = useStale();
  return reading?.readAt == null ? null : <AgeWords readAt={reading.readAt} stale={stale} className={className} />;
}

function AgeWords({ readAt, stale, className }: { readAt: number; stale: boolean; className: string }) {
  const { t } = useWords();
  const age = useAge(readAt);
  return <span className={className}>{stale && <Sign name="m-stale" />}{t("frame.read_ago", { age })}</span>;
}

/** Age and button, on wide screens. */
function Freshness() {
  const { t } = useWords();
  const reading = useReading();
  if (!reading) return null;
  return (
    <>
      <Age className="fresh wide num" />
      <button type="button" className="btn wide" disabled={reading.busy} onClick={reading.refresh}>
        <Icon of={IconRefresh} />
        <span>{t("frame.refresh")}</span>
      </button>
    </>
  );
}

/** The button alone, on narrow screens. */
function RefreshSign() {
  const { t } = useWords();
  const reading = useReading();
  if (!reading) return null;
  return (
    <button type="button" className="btn plain icon only-narrow" aria-label={t("frame.refresh")} disabled={reading.busy} onClick={reading.refresh}>
      <Icon of={IconRefresh} />
    </button>
  );
}

/** Cluster and age, on narrow screens. */
function SubBar() {
  const { t } = useWords();
  const cluster = useCluster();
  const name = useAllClusters() ? t("frame.all_clusters") : cluster;
  return name === null ? null : <div className="subbar num"><span>{name}</span><Age className="age" /></div>;
}
