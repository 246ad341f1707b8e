import { Fragment, useMemo } from "react";
import { useWords } from "../../i18n/words";
import { SectionHead } from "../../components/head";
import { useNumber } from "../../components/number";
import { NotTold } from "../../components/states";
import { useList } from "../../components/words";
import type { Capacity } from "../../domain/capacity";
import { sum } from "../../domain/capacity";
import { states, type Row } from "../../domain/inventory";

interface CapacityTableProps {
  rows: readonly Row[];
  lines: readonly Capacity[];
  /** Nodes that were not read; null: they are still being read. */
  missing: number | null;
  /** Clusters of which no node is known. */
  lost: readonly string[];
  by: "model" | "cluster";
}

/** How many cards there are of each state. Beside it always the word that this does not say what can be assigned. */
export function CapacityTable({ rows, lines, missing, lost, by }: CapacityTableProps) {
  const { t } = useWords();
  const whole = useMemo(() => ({ ...sum(rows), key: "", name: "", ids: "", profiles: [], vf: null, vgpu: 0, nodes: [] }), [rows]);
  const list = useList();
  if (rows.length === 0) return null;
  const without = lost.length > 0 ? ` · ${t("overview.lost", { names: list(lost) })}` : "";
  const total = missing === null ? t("overview.so_far") : missing > 0 ? t("overview.total_without", { count: missing }) : t("overview.total");
  return (
    <>
      <SectionHead title={t(`overview.capacity_${by}`)} sub={t("overview.capacity_sub")} />
      <div className="panel bare">
        <table className="cards flow cap" aria-label={t(`overview.capacity_${by}`)}>
          <colgroup><col /><col style={{ width: 72 }} />{states.map((state) => <col key={state} style={{ width: 108 }} />)}<col style={{ width: 164 }} /><col style={{ width: 136 }} /></colgroup>
          <thead>
            <tr>
              <th scope="col">{t(`overview.${by}`)}</th>
              <th scope="col" className="r">{t("overview.cards")}</th>
              {states.map((state) => <th key={state} scope="col" className="r">{t(`overview.short.${state}`)}</th>)}
              <th scope="col">{t("overview.in_use")}</th>
              <th scope="col">{t("overview.nodes")}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => <Line key={line.key} line={line} name={<>{line.name} {line.ids !== "" && <span className="mono muted">{line.ids}</span>}</>} />)}
            {by === "cluster" && lost.map((name) => <tr key={`lost ${name}`}><td>{name}</td><td colSpan={7}><NotTold>{t("overview.not_read")}</NotTold></td></tr>)}
            <Line line={whole} name={total + without} whole />
          </tbody>
        </table>
      </div>
    </>
  );
}

function Line({ line, name, whole = false }: { line: Capacity; name: React.ReactNode; whole?: boolean }) {
  const { t } = useWords();
  const number = useNumber();
  const used = inUse(line, t, number);
  return (
    <tr className={whole ? "strong" : undefined}>
      <td>{name}</td>
      <td className="r num strong"><span className="ll">{t("overview.cards")}</span>{number(line.cards)}</td>
      {states.map((state) => {
        const count = line.counts[state];
        return <td key={state} className={count === 0 ? "r num z muted" : "r num"}><span className="ll">{t(`overview.short.${state}`)}</span>{number(count)}</td>;
      })}
      {whole ? <><td /><td /></> : (
        <>
          <td className={used.length === 0 ? "num z muted" : "num"}>{used.length === 0 ? "–" : <Units parts={used} />}</td>
          <td>{line.nodes.length === 1 ? line.nodes[0]?.node : <Units parts={line.nodes.map(({ node, cards }) => `${node} ${number(cards)}`)} />}</td>
        </>
      )}
    </tr>
  );
}

/** Each with its number in one line, as far as there is room. */
function Units({ parts }: { parts: readonly string[] }) {
  return parts.map((part, at) => <Fragment key={at}>{at > 0 && ", "}<span className="unit">{part}</span></Fragment>);
}

function inUse({ vf, profiles, vgpu }: Capacity, t: ReturnType<typeof useWords>["t"], number: (count: number) => string): string[] {
  const parts = profiles.map(({ type, used }) => `${number(used)} × ${type}`);
  if (vf) parts.unshift(t("overview.vf_used", { used: vf.used, count: vf.count }));
  if (vgpu === null) parts.push(t("overview.vgpu_untold"));
  else if (vgpu > 0) parts.unshift(t(profiles.length === 0 ? "overview.vgpu_none" : "overview.vgpu_cards", { count: vgpu }));
  return parts;
}
