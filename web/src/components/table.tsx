import { Fragment, memo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { useInSight } from "./in-sight";
import { useNarrow } from "./media";
import { usePrinting } from "./printing";

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
  /** What a row is, whatever it says now; the same for two rows never. In long tables it has to stay the same function. */
  rowKey: (row: Row) => string;
  /** Expected height of a row, and of a card on narrow screens, in pixels. */
  rowHeight: number;
  cardHeight: number;
  selected?: string | null;
  onOpen?: (row: Row) => void;
  className?: string;
  /** So many rows are drawn at once, and more as the window shows them: a table in a box that scrolls needs all it can have. */
  drawnAtOnce?: number;
  /** Stands after the last row: what was not read. */
  after?: ReactNode;
}

/** So many rows are drawn at once unless the table says otherwise; of more, first those in sight. */
const usual = 20;

/**
 * A table that stays fast with thousands of rows. Rows take the focus when they can be
 * opened: arrows, Home and End move, Enter opens. At 768 px and below each row is a card.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, className = "", drawnAtOnce = usual, after } = props;
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
  const { rows, rowKey, columns, selected, onOpen } = props;
  return (
    <tbody {...keysOf(props, undefined)}>
      {rows.map((row, index) => {
        const key = rowKey(row);
        return <OneRow key={key} id={key} row={row} index={index} columns={columns} selected={selected === key} opens={onOpen !== undefined} />;
      })}
    </tbody>
  );
}

function RowsInSight<Row>(props: TableProps<Row>) {
  const { rows, rowKey, rowHeight, cardHeight, columns, selected, onOpen } = props;
  const box = useRef<HTMLTableSectionElement>(null);
  // Its focus would be lost if the row with it left the page.
  const [focused, setFocused] = useState<readonly number[]>(nobody);
  const height = useNarrow() ? cardHeight : rowHeight;
  const { items, after, measure, reveal } = useInSight({ box, rows, keyOf: rowKey, height, held: focused });
  return (
    <tbody
      ref={box}
      {...keysOf(props, reveal)}
      onFocus={(event) => { const at = rowOf(event.target); setFocused(at === null ? nobody : [at.index]); }}
      onBlur={() => { setFocused(nobody); }}
    >
      {items.map(({ index, row, key, gap }) => (
        <Fragment key={key}>
          <Gap height={gap} span={columns.length} />
          <OneRow id={key} row={row} index={index} columns={columns} selected={selected === key} opens={onOpen !== undefined} measure={measure} />
        </Fragment>
      ))}
      <Gap height={after} span={columns.length} />
    </tbody>
  );
}

const nobody: readonly number[] = [];

/** Stands for the rows that are out of sight. */
function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr className="gap" aria-hidden>
      <td colSpan={span} style={{ height }}><div style={{ height }} /></td>
    </tr>
  );
}

interface OneRowProps<Row> {
  id: string;
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  selected: boolean;
  /** It takes the focus and opens. */
  opens: boolean;
  measure?: (element: HTMLTableRowElement | null) => void;
}

function DrawnRow<Row>({ id, row, index, columns, selected, opens, measure }: OneRowProps<Row>) {
  return (
    <tr
      ref={measure}
      data-index={index}
      data-key={id}
      className={selected ? "sel" : undefined}
      aria-rowindex={index + 2}
      aria-selected={opens ? selected : undefined}
      tabIndex={opens ? 0 : undefined}
    >
      {columns.map((column) => <td key={column.id} className={column.className}>{column.cell(row)}</td>)}
    </tr>
  );
}

// Scrolling draws the rows that come, and none of those that stay.
const OneRow = memo(DrawnRow) as typeof DrawnRow;

/** A press on a link or button inside a row is not one on the row. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, select") !== null;
}

/** The row that an event in the table is about. */
function rowOf(at: EventTarget): { element: Element; index: number } | null {
  const element = at instanceof Element ? at.closest("tr[data-index]") : null;
  return element === null ? null : { element, index: Number(element.getAttribute("data-index")) };
}

/** Keys and presses of all rows: they open, and move the focus, with an open drawer the selection too. */
function keysOf<Row>({ rows, selected, onOpen }: TableProps<Row>, reveal: ((index: number) => void) | undefined) {
  if (!onOpen) return {};
  const open = (index: number) => {
    const row = rows[index];
    if (row !== undefined) onOpen(row);
  };
  return {
    onClick: (event: MouseEvent) => {
      const at = rowOf(event.target);
      if (at !== null && !isControl(event.target)) open(at.index);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const at = rowOf(event.target);
      if (at === null || isControl(event.target)) return;
      const to = target(event.key, at.index, rows.length);
      if (to === null && event.key !== "Enter") return;
      event.preventDefault();
      if (to === null || (selected !== null && selected !== undefined)) open(to ?? at.index);
      if (to === null) return;
      reveal?.(to);
      focusRow(at.element.closest("tbody"), to, 5);
    },
  };
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
