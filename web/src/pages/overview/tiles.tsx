import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { usePrinting } from "../../components/printing";
import type { Row } from "../../domain/inventory";
import { watchGrid } from "./grids";
import type { Lines } from "../../domain/grid";
import { Tile } from "./tile";

interface TilesProps {
  rows: readonly Row[];
  /** Where a tile leads. */
  hrefOf: (row: Row) => string;
  /** There are so many tiles on the page that only those in sight are drawn. */
  many: boolean;
}

/** The tiles of a node, as many in a line as there is room for. */
export function Tiles({ rows, hrefOf, many }: TilesProps) {
  const printing = usePrinting();
  return many && !printing ? <TilesInSight rows={rows} hrefOf={hrefOf} /> : <div className="tiles">{draw(rows, hrefOf)}</div>;
}

function draw(rows: readonly Row[], hrefOf: (row: Row) => string) {
  return rows.map((row) => <Tile key={row.key} row={row} href={hrefOf(row)} />);
}

function TilesInSight({ rows, hrefOf }: Omit<TilesProps, "many">) {
  const box = useRef<HTMLDivElement>(null);
  const { first, last, before, after } = useLines(box, rows.length);
  return <div ref={box} className="tiles" style={{ paddingTop: before, paddingBottom: after }}>{draw(rows.slice(first, last), hrefOf)}</div>;
}

/** Which tiles are in sight, and the room of the others; it follows the scrolling and the width. */
function useLines(box: RefObject<HTMLDivElement | null>, count: number): Lines {
  const [lines, setLines] = useState<Lines>({ first: 0, last: Math.min(count, 1), before: 0, after: 0 });
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    return watchGrid({
      grid: box.current,
      count,
      show: (now) => { setLines((old) => (old.first === now.first && old.last === now.last && old.before === now.before && old.after === now.after ? old : now)); },
    });
  }, [box, count]);
  return lines;
}
