import { useState } from "react";
import { IconPencil, IconPlugConnected, IconTrash } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useRemoveCluster, useTestCluster, type Cluster } from "../../api/clusters";
import { Dialog } from "../../components/dialog";
import { Confirm } from "../../components/form";
import { Icon } from "../../components/icon";
import { CardLabel, LoadingRows, When } from "../../components/list";
import { Failed } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { ClusterForm } from "./form";
import { TestResult } from "./result";

type Doing = { what: "edit" | "remove" | "test"; of: Cluster } | null;

export function ClusterTable({ rows, mayChange }: { rows: readonly Cluster[]; mayChange: boolean }) {
  const { t } = useWords();
  const [doing, setDoing] = useState<Doing>(null);
  const columns = useColumns(mayChange, setDoing);
  const close = () => { setDoing(null); };
  return (
    <>
      <Table label={t("nav.clusters")} columns={columns} rows={rows} rowKey={(row) => row.name} rowHeight={48} cardHeight={180} />
      {doing?.what === "edit" && <ClusterForm of={doing.of} onClose={close} />}
      {doing?.what === "remove" && <RemoveCluster name={doing.of.name} onClose={close} />}
      {doing?.what === "test" && <TestDialog name={doing.of.name} onClose={close} />}
    </>
  );
}

function useColumns(mayChange: boolean, act: (doing: Doing) => void): Column<Cluster>[] {
  const { t } = useWords();
  const columns: Column<Cluster>[] = [
    { id: "name", title: t("cluster.name"), width: 136, cell: (row) => <><b className="strong">{row.name}</b>{row.changes && <span className="label"> {t("cluster.changes_on")}</span>}</> },
    { id: "entries", title: t("cluster.entries"), cell: (row) => <ul>{row.entries.map((entry) => <li key={entry} className="mono">{entry}</li>)}</ul> },
    { id: "trust", title: t("cluster.trust"), width: 168, cell: (row) => <Trust of={row} /> },
    { id: "token", title: t("cluster.token"), cell: (row) => <><CardLabel>{t("cluster.token")} </CardLabel><span className="mono">{row.token_id}</span></> },
    { id: "tag", title: t("cluster.tag"), width: 152, cell: (row) => row.desktop_tag === null ? null : <><CardLabel>{t("cluster.tag")} </CardLabel><span className="mono">{row.desktop_tag}</span></> },
    { id: "changed", title: t("desktop.changed"), width: 176, className: "upd", cell: (row) => <><CardLabel>{t("desktop.changed")} </CardLabel><When at={row.updated_at} never="" /></> },
  ];
  if (!mayChange) return columns;
  return [...columns, {
    id: "acts", title: <span className="sr">{t("list.actions")}</span>, width: 128, cell: (row) => (
      <div className="rowacts">
        <button type="button" className="btn small icon" title={t("cluster.test")} aria-label={t("cluster.test_of", { name: row.name })} onClick={() => { act({ what: "test", of: row }); }}><Icon of={IconPlugConnected} /></button>
        <button type="button" className="btn small icon" title={t("list.change")} aria-label={t("list.change_of", { name: row.name })} onClick={() => { act({ what: "edit", of: row }); }}><Icon of={IconPencil} /></button>
        <button type="button" className="btn small icon" title={t("list.remove")} aria-label={t("list.remove_of", { name: row.name })} onClick={() => { act({ what: "remove", of: row }); }}><Icon of={IconTrash} /></button>
      </div>
    ),
  }];
}

function Trust({ of }: { of: Cluster }) {
  const { t } = useWords();
  const { fingerprints, cas } = of.tls;
  if (fingerprints.length > 0) {
    return <ul>{fingerprints.map((one) => <li key={one} className="mono" title={one}>{one.slice(0, 17)}…</li>)}</ul>;
  }
  return <span>{cas === "" ? t("cluster.trust_system") : t("cluster.trust_own")}</span>;
}

function RemoveCluster({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useWords();
  const remove = useRemoveCluster();
  return (
    <Confirm
      title={t("cluster.remove_title", { name })} send={t("list.remove")} onClose={onClose} error={remove.error} busy={remove.isPending}
      typed={{ name, label: t("cluster.type_name", { name }) }} onConfirm={() => { remove.mutate(name, { onSuccess: onClose }); }}
    >
      {t("cluster.remove_what")}
    </Confirm>
  );
}

/** Tries the stored connection at once. */
function TestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useWords();
  const test = useTestCluster(name);
  return (
    <Dialog title={t("cluster.test")} sub={name} onClose={onClose}>
      <div className="dlb" aria-live="polite">
        {test.error && <Failed error={test.error} busy={test.isFetching} onRetry={() => { void test.refetch(); }} />}
        {!test.error && (test.isFetching || !test.data ? <LoadingRows rows={3} /> : <TestResult test={test.data} />)}
      </div>
      <div className="dlf">
        <span className="acts">
          <button type="button" className="btn" disabled={test.isFetching} onClick={() => { void test.refetch(); }}>{t("cluster.test_again")}</button>
          <button type="button" className="btn primary" onClick={onClose}>{t("frame.close")}</button>
        </span>
      </div>
    </Dialog>
  );
}
