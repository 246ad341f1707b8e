import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAllClusters, useCluster } from "../../components/cluster";
import { PageHead } from "../../components/head";
import { DevicesScope, ListFaults, useDevices, type Devices } from "../../components/inventory";
import { useReading } from "../../components/reading";
import { StaleBanner } from "../../components/states";
import { useTyping } from "../../components/typing";
import { formatDateTime } from "../../domain/format";
import { findingsByRow } from "../../domain/finding";
import { anyTold, countStates, countVFStates, inState, search, sortRows, type Row } from "../../domain/inventory";
import { scopeOf, viewsOfNode } from "../../domain/scope";
import { parseDevice, writeDevice } from "../../domain/select";
import { NoCluster } from "../clusters/none";
import { DeviceDrawer } from "./drawer";
import { DeviceExport } from "./export";
import { Filters } from "./filters";
import { DeviceTable } from "./table";

export function GpusPage() {
  const { t } = useWords();
  const { q = "", node, state, device } = useSearch({ from: "/frame/gpus" });
  const navigate = useNavigate({ from: "/gpus" });
  const all = useAllClusters();
  const cluster = useCluster();
  const devices = useDevices();
  const views = useMemo(() => viewsOfNode(devices.views, node), [devices.views, node]);
  const nodes = useMemo(() => views.flatMap((view) => view.nodes), [views]);
  const scope = useMemo(() => scopeOf(views), [views]);
  const answered = nodes.filter((view) => !view.pending).length;
  const settled = devices.names !== null && views.length > 0 && views.every((view) => !view.pending) && answered === nodes.length;
  const told = node === undefined ? devices.told : anyTold(nodes);
  const [text, type] = useTyping(q, useCallback((typed: string) => {
    void navigate({ search: (old) => ({ ...old, q: typed || undefined }), replace: true, resetScroll: false });
  }, [navigate]));
  const found = useFound(devices, node, text);
  const rows = useMemo(() => inState(found, state), [found, state]);
  const notes = useMemo(() => findingsByRow(devices.findings.findings, devices.rows), [devices.findings, devices.rows]);
  const open = useMemo(() => parseDevice(device, cluster, node), [device, cluster, node]);
  const select = useCallback((row: Row) => {
    // The way back leads out of the drawer at once, however many rows were looked at.
    void navigate({ search: (old) => ({ ...old, device: writeDevice(row, all, node) }), replace: device !== undefined, resetScroll: false });
  }, [navigate, all, node, device]);
  const close = useCallback(() => {
    void navigate({ search: (old) => ({ ...old, device: undefined }), resetScroll: false });
  }, [navigate]);
  if (devices.names?.length === 0) return <NoCluster page="nav.gpus" />;
  return (
    <>
      <PrintHead clusters={devices.names ?? []} node={node} />
      <PageHead title={t("nav.gpus")} sub={t("gpu.on_demand")} actions={told && <DeviceExport rows={rows} scope={scope} settled={settled} />} />
      <StaleBanner />
      <Filters counts={told ? { cards: countStates(found), functions: countVFStates(found) } : null} nodes={devices.nodes} text={text} onText={type} />
      <ListFaults devices={devices} />
      {(nodes.length > 0 || node === undefined || !settled) && <DevicesScope scope={scope} nodes={nodes} answered={answered} settled={settled} />}
      <DeviceTable devices={devices} nodes={nodes} rows={rows} notes={notes} selected={open} told={told} filtered={text.trim() !== "" || state !== undefined} onOpen={select} onClear={() => { type(""); }} />
      {open && <DeviceDrawer key={`${open.cluster}/${open.node}/${open.address}`} selection={open} devices={devices} onClose={close} />}
    </>
  );
}

/** The rows that node and search leave, in the order of the table. */
function useFound({ rows }: Devices, node: string | undefined, text: string): readonly Row[] {
  const sorted = useMemo(() => sortRows(rows), [rows]);
  const here = useMemo(() => (node === undefined ? sorted : sorted.filter((row) => row.node === node)), [sorted, node]);
  return useMemo(() => search(here, text), [here, text]);
}

/** On paper: what this is, of when, and what was left out. */
function PrintHead({ clusters, node }: { clusters: readonly string[]; node: string | undefined }) {
  const { t, i18n } = useWords();
  const reading = useReading();
  const { q, state } = useSearch({ from: "/frame/gpus" });
  const parts = [
    reading?.readAt == null ? "" : t("gpu.print_read", { time: formatDateTime(new Date(reading.readAt), i18n.language) }),
    node ?? t("gpu.all_nodes"),
    state === undefined ? t("gpu.all_states") : t(`state.${state}`),
    q === undefined ? "" : t("gpu.print_search", { text: q }),
  ];
  return <div className="printhead"><b>pciatlas · {t("nav.gpus")} · {clusters.join(", ")}</b> · {parts.filter((part) => part !== "").join(" · ")}</div>;
}
