import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Table, type Column } from "./table";

interface Row {
  id: string;
  name: string;
}

const columns: readonly Column<Row>[] = [
  { id: "name", title: "Name", cell: (row) => row.name },
  { id: "act", title: "Act", width: 80, cell: (row) => <button type="button">press {row.id}</button> },
];

function rowsTo(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => ({ id: `r${at}`, name: `row ${at}` }));
}

interface Shown {
  count: number;
  selected?: string | null;
  onOpen?: (row: Row) => void;
}

function show({ count, ...rest }: Shown) {
  return render(<Table label="Rows" columns={columns} rows={rowsTo(count)} rowKey={(row) => row.id} rowHeight={32} cardHeight={120} after={<p>not read</p>} {...rest} />);
}

function row(at: number): HTMLElement {
  const found = document.querySelector<HTMLElement>(`tr[data-index="${at}"]`);
  if (!found) throw new Error(`row ${at} is not drawn`);
  return found;
}

beforeEach(() => {
  // The test browser lays nothing out; a row without height would never leave the sight.
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(32);
});

afterEach(cleanup);

test("it says what it is, how long it is and what stands in which place", () => {
  show({ count: 3 });
  const table = screen.getByRole("table", { name: "Rows" });
  expect(table.getAttribute("aria-rowcount")).toBe("4");
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual(["Name", "Act"]);
  expect(row(2).getAttribute("aria-rowindex")).toBe("4");
  expect(row(2).textContent).toContain("row 2");
  expect(screen.getByText("not read")).toBeTruthy();
});

test("rows that open nothing take no focus and are not selectable", () => {
  show({ count: 1 });
  expect(row(0).hasAttribute("tabindex")).toBe(false);
  expect(row(0).hasAttribute("aria-selected")).toBe(false);
});

test("a press on a row opens it; one on its button does not", () => {
  const open = vi.fn();
  show({ count: 2, onOpen: open });
  fireEvent.click(screen.getByText("row 1"));
  expect(open).toHaveBeenCalledWith({ id: "r1", name: "row 1" });
  fireEvent.click(screen.getByRole("button", { name: "press r0" }));
  fireEvent.keyDown(screen.getByRole("button", { name: "press r0" }), { key: "Enter" });
  expect(open).toHaveBeenCalledTimes(1);
});

test.each([
  ["ArrowDown", 1, 2], ["ArrowDown", 2, 2], ["ArrowUp", 1, 0], ["ArrowUp", 0, 0], ["Home", 2, 0], ["End", 0, 2], ["a", 1, 1],
])("%s moves the focus from row %i to row %i and opens nothing", (key, from, to) => {
  const open = vi.fn();
  show({ count: 3, onOpen: open });
  row(from).focus();
  fireEvent.keyDown(row(from), { key });
  expect(document.activeElement).toBe(row(to));
  expect(open).not.toHaveBeenCalled();
});

test("Enter opens; while a row is selected the arrows take the selection along", () => {
  const open = vi.fn();
  show({ count: 3, onOpen: open, selected: "r0" });
  expect(row(0).getAttribute("aria-selected")).toBe("true");
  expect(row(1).getAttribute("aria-selected")).toBe("false");
  fireEvent.keyDown(row(0), { key: "ArrowDown" });
  expect(open).toHaveBeenLastCalledWith({ id: "r1", name: "row 1" });
  fireEvent.keyDown(row(2), { key: "Enter" });
  expect(open).toHaveBeenLastCalledWith({ id: "r2", name: "row 2" });
});

test("of many rows only those in sight are drawn, and all of them on paper", () => {
  show({ count: 300, onOpen: () => undefined });
  const drawn = () => document.querySelectorAll("tr[data-index]").length;
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("301");
  expect(drawn()).toBeGreaterThan(10);
  expect(drawn()).toBeLessThan(100);
  expect(document.querySelector("tr.gap")?.getAttribute("aria-hidden")).toBe("true");
  act(() => { window.dispatchEvent(new Event("beforeprint")); });
  expect(drawn()).toBe(300);
  act(() => { window.dispatchEvent(new Event("afterprint")); });
  expect(drawn()).toBeLessThan(100);
});
