import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useRemoveDesktop } from "../../api/desktops";
import { Confirm } from "../../components/form";
import { Icon } from "../../components/icon";
import { CardLabel, When } from "../../components/list";
import { Table, type Column } from "../../components/table";
import type { DesktopInList } from "../../domain/desktop";
import { DesktopForm } from "./form";

type Doing = { what: "edit" | "remove"; of: DesktopInList } | null;

interface DesktopTableProps {
  rows: readonly DesktopInList[];
  /** Several clusters are shown: each desktop tells its own. */
  several: boolean;
  mayChange: boolean;
}

export function DesktopTable({ rows, several, mayChange }: DesktopTableProps) {
  const { t } = useWords();
  const [doing, setDoing] = useState<Doing>(null);
  const columns = useColumns(several, mayChange, setDoing);
  const close = () => { setDoing(null); };
  return (
    <>
      <Table label={t("nav.desktops")} className="flow" columns={columns} rows={rows} rowKey={(row) => `${row.cluster}/${row.vmid}`} rowHeight={32} cardHeight={120} />
      {doing?.what === "edit" && <DesktopForm clusters={[doing.of.cluster]} of={doing.of} onClose={close} />}
      {doing?.what === "remove" && <RemoveDesktop of={doing.of} onClose={close} />}
    </>
  );
}

function useColumns(several: boolean, mayChange: boolean, act: (doing: Doing) => void): Column<DesktopInList>[] {
  const { t } = useWords();
  const columns: Column<DesktopInList>[] = [
    { id: "name", title: t("desktop.name"), cell: (row) => <b className="strong">{row.name}</b> },
    ...(several ? [{ id: "cluster", title: t("frame.cluster"), width: 136, cell: (row: DesktopInList) => <><CardLabel>{t("frame.cluster")}</CardLabel>{row.cluster}</> }] : []),
    { id: "vmid", title: "VMID", width: 104, cell: (row) => <><CardLabel>{t("list.vm")}</CardLabel><Link className="mono" to="/vms/$cluster/$vmid" params={{ cluster: row.cluster, vmid: String(row.vmid) }}>{row.vmid}</Link></> },
    { id: "note", title: t("desktop.note"), cell: (row) => row.note },
    { id: "changed", title: t("desktop.changed"), width: 184, cell: (row) => <><CardLabel>{t("desktop.changed")}</CardLabel><When at={row.updated_at} never="" /></> },
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

function RemoveDesktop({ of, onClose }: { of: DesktopInList; onClose: () => void }) {
  const { t } = useWords();
  const remove = useRemoveDesktop(of.cluster);
  return (
    <Confirm title={t("desktop.remove_title", { name: of.name })} send={t("list.remove")} onClose={onClose} error={remove.error} busy={remove.isPending} onConfirm={() => { remove.mutate(of.vmid, { onSuccess: onClose }); }}>
      {t("desktop.remove_what", { vmid: of.vmid })}
    </Confirm>
  );
}
