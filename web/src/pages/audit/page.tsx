import { useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAudit, type AuditEntry } from "../../api/audit";
import { PageHead } from "../../components/head";
import { CardLabel, ExportMenu, LoadingRows, useRefresh, When } from "../../components/list";
import { Empty, Failed } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { dayStart } from "../../domain/audit";
import { listScope } from "../../domain/export";
import { AuditDrawer } from "./drawer";
import { AuditFilters } from "./filters";
import { ActionWord, Actor, ResultWord } from "./words";

/** What was done with this server, by whom, and what was refused. */
export function AuditPage() {
  const { t } = useWords();
  const { actor, action, object, since, until, entry } = useSearch({ from: "/frame/audit" });
  const query = useAudit({ actor, action, object, since: dayStart(since, 0), until: dayStart(until, 1) });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? [], [query.data]);
  useRefresh("audit", query.isFetching);
  const open = useOpen();
  const opened = rows.find((row) => row.id === entry);
  return (
    <>
      <PageHead title={t("nav.audit")} actions={rows.length > 0 && !query.error && <ExportMenu name="audit" rows={rows} columns={csvColumns} scope={listScope(query.hasNextPage ? ["older entries were not loaded"] : [], { actor, action, object, since, until })} />} />
      <AuditFilters />
      {query.error && <Failed error={query.error} busy={query.isFetching} onRetry={() => { void query.refetch(); }} />}
      {query.isPending && <LoadingRows rows={8} />}
      {query.isSuccess && rows.length === 0 && <Empty title={t("audit.empty")}><p>{t("audit.empty_why")}</p></Empty>}
      {query.isSuccess && rows.length > 0 && <Entries rows={rows} selected={entry} onOpen={open} />}
      {query.isSuccess && query.hasNextPage && (
        <div className="more-row">
          <button type="button" className="btn" disabled={query.isFetchingNextPage} onClick={() => { void query.fetchNextPage(); }}>{t("audit.older")}</button>
        </div>
      )}
      {entry !== undefined && !query.error && <AuditDrawer key={entry} id={entry} listed={opened} waiting={query.isPending} onClose={() => { open(null); }} />}
    </>
  );
}

function useOpen(): (row: AuditEntry | null) => void {
  const navigate = useNavigate();
  return (row) => { void navigate({ to: ".", search: (old) => ({ ...old, entry: row?.id }), replace: true, resetScroll: false }); };
}

const csvColumns = [
  { title: "id", cell: (row: AuditEntry) => row.id },
  { title: "at", cell: (row: AuditEntry) => row.at },
  { title: "actor", cell: (row: AuditEntry) => row.actor },
  { title: "actor_kind", cell: (row: AuditEntry) => row.actor_kind },
  { title: "address", cell: (row: AuditEntry) => row.address },
  { title: "action", cell: (row: AuditEntry) => row.action },
  { title: "object", cell: (row: AuditEntry) => row.object },
  { title: "result", cell: (row: AuditEntry) => row.result },
  { title: "reason", cell: (row: AuditEntry) => row.reason },
  { title: "request_id", cell: (row: AuditEntry) => row.request_id },
];

function idOf(row: AuditEntry): string {
  return String(row.id);
}

function Entries({ rows, selected, onOpen }: { rows: readonly AuditEntry[]; selected: number | string | undefined; onOpen: (row: AuditEntry) => void }) {
  const { t } = useWords();
  const columns: Column<AuditEntry>[] = [
    { id: "at", title: t("audit.at"), width: 176, cell: (row) => <When at={row.at} never="" /> },
    { id: "actor", title: t("audit.actor"), width: 176, className: "beside", cell: (row) => <div><CardLabel>{t("audit.actor")} </CardLabel><Actor entry={row} /></div> },
    { id: "action", title: t("audit.action"), cell: (row) => <ActionWord action={row.action} /> },
    { id: "object", title: t("audit.object"), cell: (row) => <span className="mono">{row.object}</span> },
    { id: "result", title: t("audit.result"), cell: (row) => <ResultWord entry={row} /> },
  ];
  return (
    <Table
      label={t("nav.audit")} className="flow" columns={columns} rows={rows} rowKey={idOf}
      rowHeight={32} cardHeight={110} selected={selected === undefined ? null : String(selected)} onOpen={onOpen}
    />
  );
}
