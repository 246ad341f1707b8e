import { SeveritySign, Sign } from "../../components/sign";
import type { SignName } from "../../components/signs";
import { NotTold } from "../../components/states";
import { demandParts, isOver, type Cell, type Demand, type Mappings, type Verdict } from "../../domain/mapping";
import type { Say } from "../../domain/remember";

const verdictSigns = { ok: "c-ok", invalid: "v-error", missing: "c-missing", unreadable: "s-notread" } as const satisfies Record<Verdict, SignName>;

/** The sign and the word of a verdict; one of a newer server looks as if nothing were known. */
function VerdictWord({ verdict, t }: { verdict: Verdict; t: Say }) {
  const sign = Object.hasOwn(verdictSigns, verdict) ? verdictSigns[verdict] : "c-unknown";
  return <span className={`v ${verdict}`}><Sign name={sign} />{t(`mapping.verdict.${verdict}`)}</span>;
}

interface CellProps {
  cell: Cell;
  node: Mappings["nodes"][number];
  /** Handed down: there are a thousand cells. */
  t: Say;
}

/** What a mapping is worth on a node: verdict, what it can give, and who asks for it. */
export function CellView({ cell, node, t }: CellProps) {
  const idle = cell.demand.vms + cell.demand.templates === 0;
  return (
    <>
      <span className="ll mono">{cell.node}</span>
      <VerdictWord verdict={cell.verdict} t={t} />
      {cell.verdict === "unreadable" && <span className="label">{t(node.devices_read ? "mapping.why_untold" : "mapping.why_unread")}</span>}
      {!node.known && <span className="label">{t("mapping.unknown_node")}</span>}
      {(cell.verdict !== "missing" || !idle) && <Numbers cell={cell} t={t} />}
      {(cell.verdict !== "missing" || !idle) && <span className="label num">{idle ? t("mapping.nobody") : who(cell.demand, t)}</span>}
      {cell.agrees === false && <span className="label"><SeveritySign severity="warning" /> {t("mapping.differs_short")}</span>}
    </>
  );
}

function Numbers({ cell, t }: { cell: Cell; t: Say }) {
  const { verdict, capacity, demand } = cell;
  const stuck = verdict === "missing";
  return (
    <span className="cd num">
      {!stuck && (capacity === null ? <NotTold>{t("mapping.capacity_untold")}</NotTold> : <span className={capacity === 0 ? "muted" : undefined}>{t("mapping.capacity", { n: capacity })}</span>)}
      <span className={demand.slots === 0 ? "muted" : undefined}>
        {(isOver(cell) || stuck) && demand.slots > 0 && <SeveritySign severity={stuck ? "error" : "warning"} />}
        {t("mapping.demand", { n: demand.slots })}
      </span>
    </span>
  );
}

function who(demand: Demand, t: Say): string {
  return demandParts.filter((part) => demand[part] > 0).map((part) => t(`mapping.who.${part}`, { count: demand[part] })).join(" · ");
}
