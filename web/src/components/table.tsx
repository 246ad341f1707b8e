import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useNarrow } from "./media";

export interface Column<Row> {
  id: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  /** In pixels; without, a share of what is left. */
  width?: number;
  /** Class of the heads and cells, for what leaves when room is short. */
  className?: string;
}

interface TableProps<Row> {
  /** What the table is, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What a row is, whatever it says now; the same for two rows never. */
  rowKey: (row: Row) => string;
  /** Expected height of a row, and of a card on narrow screens, in pixels. */
  rowHeight: number;
  cardHeight: number;
  selected?: string | null;
  onOpen?: (row: Row) => void;
  className?: string;
  /** Stands after the last row: what was not read. */
  after?: ReactNode;
}

/** So many rows are drawn without a thought; more are drawn as they come into sight. */
const drawnAtOnce = 100;

/**
 * A table that stays fast with thousands of rows. Rows take the focus when they can be
 * opened: arrows, Home and End move, Enter opens. At 768 px and below each row is a card.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, className = "", after } = props;
  const printing = usePrinting();
  return (
    <div className="panel bare">
      <table className={`${className} cards`} aria-label={label} aria-rowcount={props.rows.length + 1}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} className={column.className} style={column.width === undefined ? undefined : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => <th key={column.id} scope="col" className={column.className}>{column.title}</th>)}
          </tr>
        </thead>
        {props.rows.length <= drawnAtOnce || printing ? <AllRows {...props} /> : <RowsInSight {...props} />}
      </table>
      {after}
    </div>
  );
}

function AllRows<Row>(props: TableProps<Row>) {
  const move = useMoves(props, undefined);
  return (
    <tbody>
      {props.rows.map((row, index) => <OneRow key={props.rowKey(row)} {...props} row={row} index={index} move={move} />)}
    </tbody>
  );
}

function RowsInSight<Row>(props: TableProps<Row>) {
  const { rows, rowKey, rowHeight, cardHeight, columns } = props;
  const narrow = useNarrow();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => {
    setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [narrow]);
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (narrow ? cardHeight : rowHeight),
    getItemKey: (index) => keyAt(rows, index, rowKey),
    overscan: 12,
    scrollMargin: top,
  });
  const move = useMoves(props, (index) => { list.scrollToIndex(index); });
  const items = list.getVirtualItems();
  const before = (items[0]?.start ?? top) - top;
  const behind = list.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  return (
    <tbody ref={body}>
      <Gap height={before} span={columns.length} />
      {items.map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <OneRow key={item.key} {...props} row={row} index={item.index} move={move} measure={list.measureElement} />
        );
      })}
      <Gap height={behind} span={columns.length} />
    </tbody>
  );
}

/** Stands for the rows that are out of sight. */
function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr className="gap" aria-hidden>
      <td colSpan={span} style={{ height }}><div style={{ height }} /></td>
    </tr>
  );
}

function keyAt<Row>(rows: readonly Row[], index: number, rowKey: (row: Row) => string): string | number {
  const row = rows[index];
  return row === undefined ? index : rowKey(row);
}

interface OneRowProps<Row> extends TableProps<Row> {
  row: Row;
  index: number;
  move: (event: KeyboardEvent, index: number) => void;
  measure?: (element: HTMLTableRowElement | null) => void;
}

function OneRow<Row>({ row, index, columns, rowKey, selected, onOpen, move, measure }: OneRowProps<Row>) {
  const key = rowKey(row);
  const isSelected = selected === key;
  const opens = onOpen && {
    tabIndex: 0,
    onClick: (event: { target: EventTarget }) => {
      if (!isControl(event.target)) onOpen(row);
    },
    onKeyDown: (event: KeyboardEvent) => { move(event, index); },
  };
  return (
    <tr
      ref={measure}
      data-index={index}
      data-key={key}
      className={isSelected ? "sel" : undefined}
      aria-rowindex={index + 2}
      aria-selected={onOpen ? isSelected : undefined}
      {...opens}
    >
      {columns.map((column) => <td key={column.id} className={column.className}>{column.cell(row)}</td>)}
    </tr>
  );
}

/** A press on a link or button inside a row is not one on the row. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, select") !== null;
}

/** The keys of rows: they move the focus, and with an open drawer the selection too. */
function useMoves<Row>({ rows, selected, onOpen }: TableProps<Row>, reveal: ((index: number) => void) | undefined) {
  return useCallback((event: KeyboardEvent, index: number) => {
    if (isControl(event.target)) return;
    const to = target(event.key, index, rows.length);
    const row = rows[to ?? index];
    if (to === null && event.key !== "Enter") return;
    event.preventDefault();
    if (row !== undefined && (to === null || (selected !== null && selected !== undefined))) onOpen?.(row);
    if (to === null) return;
    reveal?.(to);
    focusRow(event.currentTarget.closest("tbody"), to, 5);
  }, [rows, selected, onOpen, reveal]);
}

function target(key: string, index: number, count: number): number | null {
  switch (key) {
    case "ArrowDown": return Math.min(index + 1, count - 1);
    case "ArrowUp": return Math.max(index - 1, 0);
    case "Home": return 0;
    case "End": return count - 1;
    default: return null;
  }
}

/** A row that was out of sight is drawn a few frames later. */
function focusRow(body: Element | null, index: number, frames: number): void {
  const row = body?.querySelector<HTMLElement>(`tr[data-index="${index}"]`);
  if (row) row.focus();
  else if (frames > 0) requestAnimationFrame(() => { focusRow(body, index, frames - 1); });
}

/** Paper shows all rows, not only those in sight. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => { setPrinting(true); };
    const end = () => { setPrinting(false); };
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}
