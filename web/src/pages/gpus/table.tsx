import { useEffect, useMemo } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import type { Devices } from "../../components/inventory";
import { StateWord } from "../../components/sign";
import { Bar, Dot, Empty } from "../../components/states";
import { Table, type Column } from "../../components/table";
import type { Finding } from "../../domain/finding";
import type { NodeView, Row } from "../../domain/inventory";
import { allNodesTold, rowKey } from "../../domain/inventory";
import { groupWords } from "../../domain/marks";
import { classKey } from "../../domain/model";
import type { DeviceSelection } from "../../domain/select";
import { Notes, Refs, Via } from "./cells";
import { UnreadRows } from "./unread";

interface DeviceTableProps {
  devices: Devices;
  /** Those that are shown. */
  nodes: readonly NodeView[];
  rows: readonly Row[];
  notes: ReadonlyMap<string, readonly Finding[]>;
  /** Something of them was read. */
  told: boolean;
  selected: DeviceSelection | null;
  filtered: boolean;
  onOpen: (row: Row) => void;
  /** Searches for nothing any more. */
  onClear: () => void;
}

export function DeviceTable({ devices, nodes, rows, notes, told, selected, filtered, onOpen, onClear }: DeviceTableProps) {
  const { t } = useWords();
  const columns = useColumns(notes, devices.views.length > 1);
  useFirstRow();
  const unread = nodes.filter((node) => !node.pending && node.answer?.devices == null);
  const pending = (devices.names === null && devices.listError === null) || devices.views.some((view) => view.pending) || nodes.some((node) => node.pending);
  if (rows.length === 0 && !pending && (unread.length === 0 || filtered)) {
    // Where the nodes were not told, nobody can say that one is not there.
    if (nodes.length === 0 && !devices.views.every(allNodesTold)) return null;
    return (
      <>
        <NoRows searched={nodes.length - unread.length} nodes={nodes} anywhere={devices.nodes.length > 0} filtered={filtered} onClear={onClear} />
        {unread.length > 0 && <div className="gputable"><UnreadRows nodes={unread} /></div>}
      </>
    );
  }
  return (
    <div className="gputable">
      <Table
        label={t("nav.gpus")}
        className="two gpus"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        rowHeight={48}
        cardHeight={112}
        selected={selected ? rowKey(selected.cluster, selected.node, selected.address) : null}
        onOpen={onOpen}
        after={<>{pending && <SkeletonRows />}<UnreadRows nodes={unread} /></>}
      />
      {!pending && told && <div className="foot num"><span>{t("gpu.foot", { count: rows.length })}</span><span>{t("gpu.foot_vf")}</span></div>}
    </div>
  );
}

function keyOf(row: Row): string {
  return row.key;
}

function useColumns(notes: ReadonlyMap<string, readonly Finding[]>, several: boolean): readonly Column<Row>[] {
  const { t } = useWords();
  return useMemo(() => [
    { id: "state", title: t("gpu.state"), className: "c-state w-state", cell: (row) => <StateWord state={row.device.state} /> },
    { id: "device", title: t("gpu.device"), className: "c-dev", cell: (row) => <DeviceCell row={row} several={several} /> },
    { id: "node", title: t("gpu.node"), className: "c-node w-node", cell: (row) => <span className="mono">{row.node}</span> },
    { id: "refs", title: t("gpu.referenced_by"), className: "c-refs w-refs", cell: (row) => <Refs row={row} /> },
    { id: "via", title: t("gpu.via"), className: "c-via w-via col-x", cell: (row) => <Via row={row} /> },
    { id: "group", title: t("gpu.group"), className: "c-group w-group col-x num", cell: (row) => <GroupCell row={row} /> },
    { id: "notes", title: t("gpu.notes"), className: "c-notes w-notes col-x", cell: (row) => <Notes row={row} findings={notes.get(row.key) ?? noFindings} /> },
  ], [t, notes, several]);
}

const noFindings: readonly Finding[] = [];

function DeviceCell({ row, several }: { row: Row; several: boolean }) {
  const { t } = useWords();
  const key = classKey(row.device.class);
  const cls = key === null ? row.device.class_name : t(key);
  return (
    <>
      {row.name}
      <span className="label">
        <span className="mono">{row.address}</span>
        {cls !== null && <span className="cls"> · {cls}</span>}
        {several ? <> · {row.cluster}</> : null}
        <span className="nd-in"> · <span className="mono">{row.node}</span></span>
      </span>
    </>
  );
}

function GroupCell({ row }: { row: Row }) {
  const { t } = useWords();
  const group = row.device.iommu_group;
  return group === null ? <span className="muted" title={t("gpu.no_group")}>–</span> : <span title={t("gpu.group_title")}>{groupWords(group, row.members)}</span>;
}

/** From the search or the page itself an arrow leads to the open row, or else to the first one. */
function useFirstRow(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const at = document.activeElement;
      const free = at === null || at === document.body || at.id === "main" || at.closest(".search") !== null || at.tagName === "H1";
      if (event.key !== "ArrowDown" || !free || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const row = document.querySelector<HTMLElement>(".gputable tr.sel") ?? document.querySelector<HTMLElement>(".gputable tr[data-index]");
      if (!row) return;
      event.preventDefault();
      row.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, []);
}

function SkeletonRows() {
  return (
    <div className="skelrows" aria-hidden>
      {[120, 150, 104].map((width) => <div key={width}><Dot /><Bar width={96} /><Bar width={width} /></div>)}
    </div>
  );
}

/** Nothing is here: why, and the next step. */
function NoRows({ searched, nodes, anywhere, filtered, onClear }: Pick<DeviceTableProps, "nodes" | "filtered" | "onClear"> & { searched: number; anywhere: boolean }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/gpus" });
  if (!anywhere) return <Empty title={t("overview.no_nodes")} />;
  if (filtered) {
    const clear = () => { onClear(); void navigate({ search: (old) => ({ ...old, q: undefined, state: undefined }), replace: true }); };
    return <Empty title={t("gpu.none_match")} action={<button type="button" className="btn" onClick={clear}>{t("gpu.clear")}</button>}><p>{t("gpu.none_match_why", { count: searched })}</p></Empty>;
  }
  if (nodes.length === 0) return <Empty title={t("gpu.no_such_node")} action={<button type="button" className="btn" onClick={() => { void navigate({ search: (old) => ({ ...old, node: undefined }), replace: true }); }}>{t("gpu.all_nodes")}</button>} />;
  return <Empty title={t(nodes.length === 1 ? "gpu.none_on_node" : "gpu.none_on_nodes")}><p>{t("gpu.none_why")}</p></Empty>;
}
