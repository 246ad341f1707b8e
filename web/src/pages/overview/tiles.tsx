import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { usePrinting } from "../../components/printing";
import type { Row } from "../../domain/inventory";
import { linesInSight, type Lines } from "../../domain/grid";
import { Tile } from "./tile";

interface TilesProps {
  rows: readonly Row[];
  all: boolean;
  /** There are so many tiles on the page that only those in sight are drawn. */
  many: boolean;
}

/** The tiles of a node, as many in a line as there is room for. */
export function Tiles({ rows, all, many }: TilesProps) {
  const printing = usePrinting();
  return many && !printing ? <TilesInSight rows={rows} all={all} /> : <div className="tiles">{draw(rows, all)}</div>;
}

function draw(rows: readonly Row[], all: boolean) {
  return rows.map((row) => <Tile key={row.key} row={row} all={all} />);
}

function TilesInSight({ rows, all }: { rows: readonly Row[]; all: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const { first, last, before, after } = useLines(box, rows.length);
  return <div ref={box} className="tiles" style={{ paddingTop: before, paddingBottom: after }}>{draw(rows.slice(first, last), all)}</div>;
}

/** Which tiles are in sight, and the room of the others; it follows the scrolling and the width. */
function useLines(box: RefObject<HTMLDivElement | null>, count: number): Lines {
  const [lines, setLines] = useState<Lines>({ first: 0, last: Math.min(count, 1), before: 0, after: 0 });
  useLayoutEffect(() => {
    const look = () => {
      const grid = box.current;
      const tile = grid?.querySelector<HTMLElement>("a.tile");
      if (!grid || !tile) return;
      const style = getComputedStyle(grid);
      const across = style.gridTemplateColumns.split(" ").length;
      const now = linesInSight({ count, across, pitch: tile.offsetHeight + parseFloat(style.rowGap), top: grid.getBoundingClientRect().top, height: window.innerHeight });
      setLines((old) => (old.first === now.first && old.last === now.last && old.before === now.before && old.after === now.after ? old : now));
    };
    look();
    // In the frame that shows them, not in the one after it.
    const follow = () => { flushSync(look); };
    const size = new ResizeObserver(look);
    // What stands above may grow: then the whole page does.
    size.observe(document.body);
    window.addEventListener("scroll", follow, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      size.disconnect();
      window.removeEventListener("scroll", follow);
      window.removeEventListener("resize", look);
    };
  }, [box, count]);
  return lines;
}
