import { useState } from "react";
import { useWords } from "../../i18n/words";
import { usePutDesktop } from "../../api/desktops";
import { FormDialog } from "../../components/form";
import { Field } from "../../components/field";
import { fieldFaults } from "../../components/problem";
import type { DesktopInList } from "../../domain/desktop";
import { ClusterField } from "./cluster-field";

/** Registers a VM as a desktop, or changes the name and note that it has. */
export function DesktopForm({ clusters, of, onClose }: { clusters: readonly string[]; of?: DesktopInList; onClose: () => void }) {
  const { t } = useWords();
  const [cluster, setCluster] = useState(of?.cluster ?? clusters[0] ?? "");
  const put = usePutDesktop(cluster);
  const [vmid, setVMID] = useState(of ? String(of.vmid) : "");
  const [name, setName] = useState(of?.name ?? "");
  const [note, setNote] = useState(of?.note ?? "");
  const faults = fieldFaults(put.error);
  const send = () => { put.mutate({ vmid: Number(vmid), name: name.trim(), note: note.trim() }, { onSuccess: onClose }); };
  return (
    <FormDialog
      title={of ? t("desktop.change_title", { vmid: of.vmid }) : t("desktop.add")}
      sub={cluster} send={of ? t("list.save") : t("desktop.add")}
      onClose={onClose} onSubmit={send} error={put.error} busy={put.isPending}
    >
      {!of && <ClusterField clusters={clusters} value={cluster} onChange={setCluster} />}
      {!of && <Field label="VMID" type="number" required min={100} max={999_999_999} inputMode="numeric" hint={t("desktop.vmid_hint")} value={vmid} onChange={(event) => { setVMID(event.target.value); }} fault={faults["vmid"]} />}
      <Field label={t("desktop.name")} required maxLength={100} autoComplete="off" value={name} onChange={(event) => { setName(event.target.value); }} fault={faults["name"]} />
      <Field label={t("desktop.note")} maxLength={500} autoComplete="off" value={note} onChange={(event) => { setNote(event.target.value); }} fault={faults["note"]} />
    </FormDialog>
  );
}
