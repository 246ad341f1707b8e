import { memo } from "react";
import { useWords } from "../../i18n/words";
import { MarkWord } from "../../components/mark";
import { useNumber } from "../../components/number";
import { lookOf, Sign } from "../../components/sign";
import { marksOf } from "../../domain/marks";
import type { Row } from "../../domain/inventory";
import { shortAddress } from "../../domain/model";

interface TileProps {
  row: Row;
  href: string;
}

/**
 * A device: state, short model and address; who holds it; at most three marks. It is a
 * plain link: the rack, which may hold thousands, leads to the drawer.
 */
export const Tile = memo(({ row, href }: TileProps) => {
  const { t } = useWords();
  const { sign, tile } = lookOf(row.state);
  return (
    <a href={href} className={row.host !== null ? `tile ${tile} mutedtile` : `tile ${tile}`}>
      <span className="t1">
        <Sign name={sign} label={t(`state.${row.device.state}`)} />
        <span className="name" title={row.name}>{row.model}</span>
        <span className="mono muted">{shortAddress(row.address)}</span>
      </span>
      <span className="t2"><Holder row={row} /></span>
      <span className="t3">{marksOf(row).map((mark) => <MarkWord key={`${mark.kind} ${mark.text}`} mark={mark} />)}</span>
    </a>
  );
});
Tile.displayName = "Tile";

/** `100 win10-test`, or `100, 104 +1`, or the words of the state. */
function Holder({ row }: { row: Row }) {
  const { t } = useWords();
  const number = useNumber();
  const [first, second, ...more] = row.vms;
  if (!first) return <span className="word">{t(`state.${row.device.state}`)}</span>;
  const candidate = row.state === "needs_review" && <><span className="word">{t("gpu.mark.candidate")}</span>{" "}</>;
  if (!second) return <>{candidate}<span className="mono">{first.vmid}</span> {first.name}</>;
  return <>{candidate}<span className="mono">{first.vmid}, {second.vmid}</span>{more.length > 0 && <span className="muted num"> +{number(more.length)}</span>}</>;
}
