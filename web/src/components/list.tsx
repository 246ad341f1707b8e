import { useCallback, type ReactNode } from "react";
import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useWords } from "../i18n/words";
import { IconDownload } from "@tabler/icons-react";
import { fileName, listCsv, listJson, type CsvColumn, type ListScope } from "../domain/export";
import { formatDateTime } from "../domain/format";
import { download } from "./download";
import { Icon } from "./icon";
import { Menu, type MenuItem } from "./menu";
import { useReportReading } from "./reading";
import { Bar, Failed } from "./states";

/** Where a table will stand: as many grey rows as are likely. */
export function LoadingRows({ rows = 4 }: { rows?: number }) {
  return (
    <div className="panel" aria-busy="true">
      <table>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr key={row}><td><Bar width={96 + ((row * 37) % 64)} /></td><td><Bar width={160 - ((row * 23) % 48)} /></td><td><Bar width={80} /></td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, "data" | "error" | "isFetching" | "refetch">;
  rows?: number;
  children: (data: T) => ReactNode;
}

/** What was read, or that it is being read, or why it could not be: then nothing old is shown. */
export function Loaded<T>({ query, rows = 4, children }: LoadedProps<T>) {
  if (query.error) return <Failed error={query.error} busy={query.isFetching} onRetry={() => { void query.refetch(); }} />;
  return query.data === undefined ? <LoadingRows rows={rows} /> : children(query.data);
}

/** Offers to read everything again that begins with this key, on a page whose data do not age by themselves. */
export function useRefresh(key: string, busy: boolean, readAt: number | null = null): () => void {
  const queries = useQueryClient();
  const refresh = useCallback(() => { void queries.invalidateQueries({ queryKey: [key] }); }, [queries, key]);
  useReportReading({ readAt, busy, refresh });
  return refresh;
}

/** A word before a cell's value, where the table is cards and has no heads. */
export function CardLabel({ children }: { children: ReactNode }) {
  return <span className="ll">{children}</span>;
}

/** A day and time, or a word for never. */
export function When({ at, never }: { at: string | null; never: string }) {
  const { i18n } = useWords();
  return at === null ? <span className="muted">{never}</span> : <time className="num" dateTime={at}>{formatDateTime(new Date(at), i18n.language)}</time>;
}

interface ExportProps<Row> {
  /** Of the file, without its ending. */
  name: string;
  columns: readonly CsvColumn<Row>[];
  rows: readonly Row[];
  /** A file says itself whether it is whole. */
  scope: ListScope;
  /** What a program gets of a row; without, all of it. */
  json?: (row: Row) => unknown;
  /** After the two files. */
  more?: readonly MenuItem[];
}

/** Saves what is on the screen: a table for spreadsheets, or all that is known for programs. */
export function ExportMenu<Row>({ name, columns, rows, scope, json = (row) => row, more = [] }: ExportProps<Row>) {
  const { t } = useWords();
  return (
    <Menu
      className="btn"
      button={<><Icon of={IconDownload} />{t("list.export")}</>}
      items={[
        { key: "csv", label: t("list.csv"), onSelect: () => { download(fileName(name, scope, "csv"), "text/csv;charset=utf-8", listCsv(columns, rows, scope)); } },
        { key: "json", label: t("list.json"), onSelect: () => { download(fileName(name, scope, "json"), "application/json", listJson(name, rows.map(json), scope)); } },
        ...more,
      ]}
    />
  );
}
