import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { IconDoorExit } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { ClusterSelect, useAllClusters, useCluster } from "../../components/cluster";
import { Select } from "../../components/field";
import { Icon } from "../../components/icon";
import { useNumber } from "../../components/number";
import { SearchField } from "../../components/search";
import { Sign, stateLooks } from "../../components/sign";
import { VFCount } from "../../components/vf-count";
import { compareNames, states, type Counts, type DeviceState, type NodeView } from "../../domain/inventory";

interface FiltersProps {
  counts: { cards: Counts; functions: Counts } | null;
  nodes: readonly NodeView[];
  /** What is searched for, as it is typed. */
  text: string;
  onText: (text: string) => void;
}

const evacuate: string = "/evacuate";

/** Search, node and state. The numbers say how many rows each state has after node and search; null: nothing has answered yet. */
export function Filters({ counts, nodes, text, onText }: FiltersProps) {
  const { t } = useWords();
  const number = useNumber();
  const { node, state } = useSearch({ from: "/frame/gpus" });
  const navigate = useNavigate({ from: "/gpus" });
  const all = useAllClusters();
  const cluster = useCluster();
  const names = [...new Set([...nodes.map((view) => view.node), ...(node === undefined ? [] : [node])])].sort(compareNames);
  const choices = [{ value: "", label: t("gpu.all_nodes") }, ...names.map((name) => ({ value: name, label: name }))];
  const total = counts === null ? "–" : number(states.reduce((sum, each) => sum + counts.cards[each], 0));
  const choose = (to: DeviceState | undefined) => { void navigate({ search: (old) => ({ ...old, state: to }), replace: true, resetScroll: false }); };
  return (
    <div className="filters">
      <SearchField label={t("gpu.search")} hint={t("gpu.search_hint")} value={text} onChange={onText} />
      <span className="only-narrow"><ClusterSelect /></span>
      <Select label={t("gpu.node")} width={136} value={node ?? ""} choices={choices} onChange={(value) => { void navigate({ search: (old) => ({ ...old, node: value === "" ? undefined : value, device: undefined }), replace: true }); }} />
      {node !== undefined && !all && <Link className="btn" to={evacuate} search={{ cluster: cluster ?? undefined, node }}><Icon of={IconDoorExit} />{t("evacuate.link")}</Link>}
      <div className="seg" role="group" aria-label={t("gpu.state")}>
        <button type="button" className="btn" aria-pressed={state === undefined} onClick={() => { choose(undefined); }}>{t("gpu.all")} <span className="n">{total}</span></button>
        {states.map((each) => (
          <button key={each} type="button" className="btn" aria-pressed={state === each} onClick={() => { choose(each); }}>
            <span className={`vmsign ${stateLooks[each].look}`}><Sign name={stateLooks[each].sign} /></span>
            {t(`state.${each}`)} <span className="n">{counts === null ? "–" : number(counts.cards[each])}</span>{counts !== null && <VFCount count={counts.functions[each]} />}
          </button>
        ))}
      </div>
    </div>
  );
}
