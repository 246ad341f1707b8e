import { startTransition, useCallback, useEffect, useLayoutEffect, useReducer, useState, type RefObject } from "react";
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { Around } from "./around";

interface InSightOptions<Row> {
  /** What holds the rows. */
  box: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Expected height of a row in pixels. */
  height: number;
  /** Rows that stay in the page wherever they are: they have the focus, or somebody opened them. */
  held: readonly number[];
}

interface InSight<Row> {
  index: number;
  row: Row;
  key: string;
  /** Pixels between the row before it and this one, where rows are left out. */
  gap: number;
}

/** The rows of a long list that are in sight or close to it, and how much room the others take. */
export function useInSight<Row>({ box, rows, keyOf, height, held }: InSightOptions<Row>) {
  const top = useTop(box);
  const [around] = useState(() => new Around());
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    // The same function as long as the rows are the same: else all places are worked out again.
    getItemKey: useCallback((index: number) => keyAt(rows, index, keyOf), [rows, keyOf]),
    rangeExtractor: (range: Range) => withHeld(defaultRangeExtractor({ ...range, overscan: around.of(rows, range) }), held, rows.length),
    scrollMargin: top,
  });
  useRest(around, list.range?.startIndex, rows);
  const items: InSight<Row>[] = [];
  let end = top;
  for (const item of list.getVirtualItems()) {
    const row = rows[item.index];
    if (row === undefined) continue;
    items.push({ index: item.index, row, key: keyOf(row), gap: item.start - end });
    end = item.end;
  }
  return { items, after: list.getTotalSize() + top - end, measure: list.measureElement, reveal: list.scrollToIndex };
}

// So many milliseconds after the last change a list rests.
const rest = 150;

/** Draws the rows around those in sight once the list rests. */
function useRest(around: Around, start: number | undefined, rows: readonly unknown[]): void {
  const [times, draw] = useReducer((old: number) => old + 1, 0);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (around.rest()) startTransition(draw);
    }, rest);
    return () => { clearTimeout(timer); };
  }, [around, start, rows, times]);
}

function keyAt<Row>(rows: readonly Row[], index: number, keyOf: (row: Row) => string): string | number {
  const row = rows[index];
  return row === undefined ? index : keyOf(row);
}

/** Adds the rows that stay to those in sight. */
export function withHeld(range: number[], held: readonly number[], count: number): number[] {
  const more = held.filter((index) => index < count && !range.includes(index));
  return more.length === 0 ? range : [...range, ...more].sort((a, b) => a - b);
}

/** How far from the top of the page the rows begin, whatever happens above them. */
function useTop(box: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = () => { setTop(Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY)); };
    look();
    // What stands above may grow: then the whole page does.
    const size = new ResizeObserver(look);
    size.observe(document.body);
    return () => { size.disconnect(); };
  }, [box]);
  return top;
}
