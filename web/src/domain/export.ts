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
