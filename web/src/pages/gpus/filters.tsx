import { useEffect, useRef, useState } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { IconSearch } from "@tabler/icons-react";
import { ClusterSelect } from "../../components/cluster";
import { Select } from "../../components/field";
import { Icon } from "../../components/icon";
import { Sign, stateLooks } from "../../components/sign";
import { compareNames, states, type Counts, type DeviceState, type NodeView } from "../../domain/inventory";

/** Search, node and state. The numbers say how many rows each state has after node and search; null: nothing has answered yet. */
export function Filters({ counts, nodes }: { counts: Counts | null; nodes: readonly NodeView[] }) {
  const { t } = useTranslation();
  const { node, state } = useSearch({ from: "/frame/gpus" });
  const navigate = useNavigate({ from: "/gpus" });
  const names = [...new Set([...nodes.map((view) => view.node), ...(node === undefined ? [] : [node])])].sort(compareNames);
  const choices = [{ value: "", label: t("gpu.all_nodes") }, ...names.map((name) => ({ value: name, label: name }))];
  const total = counts === null ? "–" : states.reduce((sum, each) => sum + counts[each], 0);
  const choose = (to: DeviceState | undefined) => { void navigate({ search: (old) => ({ ...old, state: to }), replace: true, resetScroll: false }); };
  return (
    <div className="filters">
      <SearchField />
      <span className="only-narrow"><ClusterSelect /></span>
      <Select label={t("gpu.node")} width={136} value={node ?? ""} choices={choices} onChange={(value) => { void navigate({ search: (old) => ({ ...old, node: value === "" ? undefined : value, device: undefined }), replace: true }); }} />
      <div className="seg" role="group" aria-label={t("gpu.state")}>
        <button type="button" className="btn" aria-pressed={state === undefined} onClick={() => { choose(undefined); }}>{t("gpu.all")} <span className="n">{total}</span></button>
        {states.map((each) => (
          <button key={each} type="button" className="btn" aria-pressed={state === each} onClick={() => { choose(each); }}>
            <span className={`vmsign ${stateLooks[each].look}`}><Sign name={stateLooks[each].sign} /></span>
            {t(`state.${each}`)} <span className="n">{counts === null ? "–" : counts[each]}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** Filters while somebody types; the address follows a moment later, so that typing never waits for it. */
function SearchField() {
  const { t } = useTranslation();
  const { q = "" } = useSearch({ from: "/frame/gpus" });
  const navigate = useNavigate({ from: "/gpus" });
  const [text, setText] = useState(q);
  const [shown, setShown] = useState(q);
  if (shown !== q) {
    setShown(q);
    if (text.trim() !== q) setText(q);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => { clearTimeout(timer.current); }, []);
  const type = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => { void navigate({ search: (old) => ({ ...old, q: value.trim() || undefined }), replace: true, resetScroll: false }); }, 120);
  };
  return (
    <label className="field search">
      <Icon of={IconSearch} />
      <input aria-label={t("gpu.search")} placeholder={t("gpu.search_hint")} value={text} enterKeyHint="search" onChange={(event) => { type(event.target.value); }} />
    </label>
  );
}
