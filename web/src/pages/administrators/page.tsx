import { useState } from "react";
import { IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useAdministrators, useRemoveAdministrator, type Administrator } from "../../api/administrators";
import { useIdentity, useMay } from "../../api/session";
import { Confirm } from "../../components/form";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { CardLabel, Loaded, useRefresh, When } from "../../components/list";
import { Table, type Column } from "../../components/table";
import { AdministratorForm } from "./form";

/** Who may sign in, and with which role. */
export function AdministratorsPage() {
  const { t } = useWords();
  const query = useAdministrators();
  const mayChange = useMay("admin");
  const [adding, setAdding] = useState(false);
  useRefresh("administrators", query.isFetching);
  return (
    <>
      <PageHead
        title={t("nav.administrators")}
        sub={query.data && !query.error ? t("administrator.count", { count: query.data.length }) : undefined}
        actions={mayChange && <button type="button" className="btn" onClick={() => { setAdding(true); }}><Icon of={IconPlus} />{t("administrator.add")}</button>}
      />
      <Loaded query={query}>{(rows) => <Administrators rows={rows} mayChange={mayChange} />}</Loaded>
      {adding && <AdministratorForm onClose={() => { setAdding(false); }} />}
    </>
  );
}

type Doing = { what: "edit" | "remove"; of: Administrator } | null;

function Administrators({ rows, mayChange }: { rows: readonly Administrator[]; mayChange: boolean }) {
  const { t } = useWords();
  const [doing, setDoing] = useState<Doing>(null);
  const columns = useColumns(mayChange, setDoing);
  const close = () => { setDoing(null); };
  return (
    <>
      <Table label={t("nav.administrators")} className="flow" columns={columns} rows={rows} rowKey={(row) => row.name} rowHeight={32} cardHeight={120} />
      {doing?.what === "edit" && <AdministratorForm of={doing.of} onClose={close} />}
      {doing?.what === "remove" && <RemoveAdministrator name={doing.of.name} onClose={close} />}
    </>
  );
}

function useColumns(mayChange: boolean, act: (doing: Doing) => void): Column<Administrator>[] {
  const { t } = useWords();
  const { name: own } = useIdentity();
  const columns: Column<Administrator>[] = [
    { id: "name", title: t("administrator.name"), cell: (row) => <><b className="strong">{row.name}</b>{row.name === own && <span className="muted"> {t("administrator.you")}</span>}</> },
    { id: "role", title: t("administrator.role"), width: 136, cell: (row) => <><CardLabel>{t("administrator.role")}</CardLabel>{t(`role.${row.role}`)}</> },
    { id: "ways", title: t("administrator.ways"), cell: (row) => <Ways of={row} /> },
    { id: "last", title: t("administrator.last"), width: 200, cell: (row) => <><CardLabel>{t("administrator.last")}</CardLabel><When at={row.signed_in_at} never={t("list.never")} /></> },
  ];
  if (!mayChange) return columns;
  return [...columns, {
    id: "acts", title: <span className="sr">{t("list.actions")}</span>, width: 232, cell: (row) => (
      <div className="rowacts">
        <button type="button" className="btn small" aria-label={t("list.change_of", { name: row.name })} onClick={() => { act({ what: "edit", of: row }); }}><Icon of={IconPencil} />{t("list.change")}</button>
        <button type="button" className="btn small" aria-label={t("list.remove_of", { name: row.name })} onClick={() => { act({ what: "remove", of: row }); }}><Icon of={IconTrash} />{t("list.remove")}</button>
      </div>
    ),
  }];
}

function Ways({ of }: { of: Administrator }) {
  const { t } = useWords();
  return (
    <div>
      {of.has_password && <div>{t("administrator.password")}</div>}
      {of.subject !== null && <div>OpenID Connect <span className="mono muted">{of.subject}</span></div>}
    </div>
  );
}

function RemoveAdministrator({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useWords();
  const remove = useRemoveAdministrator();
  return (
    <Confirm title={t("administrator.remove_title", { name })} send={t("list.remove")} onClose={onClose} error={remove.error} busy={remove.isPending} onConfirm={() => { remove.mutate(name, { onSuccess: onClose }); }}>
      {t("administrator.remove_what")}
    </Confirm>
  );
}
