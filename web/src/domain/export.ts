/** How much of what there is a list holds. A file that was made of it has to say so. */
export interface ListScope {
  /** Nothing is known to be missing. */
  complete: boolean;
  /** Why it is not, for people and programs: a place and a code. */
  because: readonly string[];
  /** What was asked for, as in the address of the page. */
  filter: Readonly<Record<string, string>>;
}

/** A list that is whole, or of which this is not known to be untrue. */
export function listScope(because: readonly string[], filter: Readonly<Record<string, string | number | undefined>>): ListScope {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return { complete: because.length === 0, because, filter: Object.fromEntries(set.map(([name, value]) => [name, String(value)])) };
}

/** The name of the file of a list; one that is not whole says so. */
export function fileName(name: string, { complete }: ListScope, ending: string): string {
  return `${name}${complete ? "" : "-incomplete"}.${ending}`;
}

/** A list as a CSV file. Each line says whether the list is whole, so that none can lose it. */
export function listCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[], { complete, because }: ListScope): string {
  return toCsv([
    ...columns,
    { title: "list_complete", cell: () => complete },
    { title: "list_incomplete_because", cell: () => (complete ? null : because.join("; ")) },
  ], rows);
}

/** A list as a JSON file, with what it is a list of and whether it is whole. */
export function listJson(name: string, rows: readonly unknown[], { complete, because, filter }: ListScope): string {
  return JSON.stringify({ list: name, exported_at: new Date().toISOString(), complete, incomplete_because: because, filter, rows }, null, 2) + "\n";
}

/** A column of a CSV file; a cell that is null was not told and stays empty. */
export interface CsvColumn<Row> {
  title: string;
  cell: (row: Row) => string | number | boolean | null;
}

/**
 * Writes a CSV file after RFC 4180, with a mark at the start from which spreadsheets
 * know that it is UTF-8. A text that a spreadsheet would run as a formula gets an
 * apostrophe in front.
 */
export function toCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map((column) => csvCell(column.title))];
  for (const row of rows) lines.push(columns.map((column) => csvCell(column.cell(row))));
  return "\uFEFF" + lines.map((line) => line.join(",") + "\r\n").join("");
}

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
