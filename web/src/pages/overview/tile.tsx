import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { MarkWord } from "../../components/mark";
import { useNumber } from "../../components/number";
import { lookOf, Sign } from "../../components/sign";
import { marksOf } from "../../domain/marks";
import type { Row } from "../../domain/inventory";
import { shortAddress } from "../../domain/model";

/** A device: state, short model and address; who holds it; at most three marks. It opens the drawer. */
export function Tile({ row, all }: { row: Row; all: boolean }) {
  const { t } = useTranslation();
  const { sign, tile } = lookOf(row.state);
  return (
    <Link
      to="/gpus"
      search={(old) => ({ cluster: all ? row.cluster : old.cluster, node: row.node, device: row.address })}
      className={row.host !== null ? `tile ${tile} mutedtile` : `tile ${tile}`}
      preload={false}
    >
      <span className="t1">
        <Sign name={sign} label={t(`state.${row.device.state}`)} />
        <span className="name" title={row.name}>{row.model}</span>
        <span className="mono muted">{shortAddress(row.address)}</span>
      </span>
      <span className="t2"><Holder row={row} /></span>
      <span className="t3">{marksOf(row).map((mark) => <MarkWord key={`${mark.kind} ${mark.text}`} mark={mark} />)}</span>
    </Link>
  );
}

/** `100 win10-test`, or `100, 104 +1`, or the words of the state. */
function Holder({ row }: { row: Row }) {
  const { t } = useTranslation();
  const number = useNumber();
  const [first, second, ...more] = row.vms;
  if (!first) return <span className="word">{t(`state.${row.device.state}`)}</span>;
  const candidate = row.state === "needs_review" && <><span className="word">{t("gpu.mark.candidate")}</span>{" "}</>;
  if (!second) return <>{candidate}<span className="mono">{first.vmid}</span> {first.name}</>;
  return <>{candidate}<span className="mono">{first.vmid}, {second.vmid}</span>{more.length > 0 && <span className="muted num"> +{number(more.length)}</span>}</>;
}
