import { useState } from "react";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useIdentity, useMay } from "../../api/session";
import { useRemoveToken, useTokens, type Token } from "../../api/tokens";
import { Confirm } from "../../components/form";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { CardLabel, Loaded, useRefresh, When } from "../../components/list";
import { useNow } from "../../components/reading";
import { Empty } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { TokenForm } from "./form";

/** Tokens with which programs use the API. */
export function TokensPage() {
  const { t } = useWords();
  const query = useTokens();
  // A token makes no tokens.
  const mayMake = useIdentity().kind === "session";
  const [making, setMaking] = useState(false);
  const make = <button type="button" className="btn" onClick={() => { setMaking(true); }}><Icon of={IconPlus} />{t("token.make")}</button>;
  useRefresh("tokens", query.isFetching);
  return (
    <>
      <PageHead title={t("nav.tokens")} sub={query.data && !query.error ? t("token.count", { count: query.data.length }) : undefined} actions={mayMake && make} />
      <Loaded query={query}>
        {(rows) => rows.length === 0
          ? <Empty title={t("token.empty")}><p>{t("token.empty_why")}</p></Empty>
          : <Tokens rows={rows} />}
      </Loaded>
      {making && <TokenForm onClose={() => { setMaking(false); }} />}
    </>
  );
}

function Tokens({ rows }: { rows: readonly Token[] }) {
  const { t } = useWords();
  const [removing, setRemoving] = useState<Token | null>(null);
  const columns = useColumns(setRemoving);
  return (
    <>
      <Table label={t("nav.tokens")} className="flow" columns={columns} rows={rows} rowKey={(row) => row.id} rowHeight={32} cardHeight={140} />
      {removing && <RemoveToken of={removing} onClose={() => { setRemoving(null); }} />}
    </>
  );
}

function useColumns(remove: (token: Token) => void): Column<Token>[] {
  const { t } = useWords();
  const everybody = useMay("admin");
  const columns: Column<Token>[] = [
    { id: "name", title: t("token.name"), cell: (row) => <b className="strong">{row.name}</b> },
    { id: "owner", title: t("token.owner"), width: 160, cell: (row) => <><CardLabel>{t("token.owner")}</CardLabel>{row.owner}</> },
    { id: "role", title: t("administrator.role"), width: 128, cell: (row) => <><CardLabel>{t("administrator.role")}</CardLabel>{t(`role.${row.role}`)}</> },
    { id: "made", title: t("token.made"), width: 176, cell: (row) => <><CardLabel>{t("token.made")}</CardLabel><When at={row.created_at} never="" /></> },
    { id: "used", title: t("token.used"), width: 176, cell: (row) => <><CardLabel>{t("token.used")}</CardLabel><When at={row.used_at} never={t("list.never")} /></> },
    { id: "ends", title: t("token.ends"), width: 176, cell: (row) => <Ends of={row} /> },
    { id: "acts", title: <span className="sr">{t("list.actions")}</span>, width: 124, cell: (row) => (
      <div className="rowacts">
        <button type="button" className="btn small" aria-label={t("list.remove_of", { name: row.name })} onClick={() => { remove(row); }}><Icon of={IconTrash} />{t("list.remove")}</button>
      </div>
    ) },
  ];
  return everybody ? columns : columns.filter((column) => column.id !== "owner");
}

function Ends({ of }: { of: Token }) {
  const { t } = useWords();
  const now = useNow();
  const over = of.expires_at !== null && Date.parse(of.expires_at) <= now;
  return <div><CardLabel>{t("token.ends")}</CardLabel> <When at={of.expires_at} never={t("list.never")} />{over && <span className="is-warning"> {t("token.over")}</span>}</div>;
}

function RemoveToken({ of, onClose }: { of: Token; onClose: () => void }) {
  const { t } = useWords();
  const remove = useRemoveToken();
  return (
    <Confirm title={t("token.remove_title", { name: of.name })} send={t("list.remove")} onClose={onClose} error={remove.error} busy={remove.isPending} onConfirm={() => { remove.mutate(of.id, { onSuccess: onClose }); }}>
      {t("token.remove_what")}
    </Confirm>
  );
}
