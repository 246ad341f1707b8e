import { useCallback, useDeferredValue, useEffect, useMemo, useRef, type CSSProperties } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAllClusters, useCluster } from "../../components/cluster";
import { FindingList } from "../../components/finding";
import { SectionHead } from "../../components/head";
import { useNumber } from "../../components/number";
import { SeveritySign } from "../../components/sign";
import { Empty } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { countBySeverity, severities } from "../../domain/findings";
import { mappingRows, parseMapping, searchMappings, shortName, unlistedFindings, writeMapping, type MappingRow, type Mappings } from "../../domain/mapping";
import { remember, type Say } from "../../domain/remember";
import { FindingsScope } from "../findings/scope";
import { CellView } from "./cell";
import { Detail } from "./detail";
import { ListState } from "./list-state";

interface ClusterMappingsProps {
  told: Mappings;
  text: string;
  onClear: () => void;
}

/** The mappings of one cluster on its nodes; the selected one is told below. */
export function ClusterMappings({ told, text, onClear }: ClusterMappingsProps) {
  const { t } = useWords();
  const number = useNumber();
  const all = useAllClusters();
  const wanted = useDeferredValue(text);
  const rows = mappingRows(told);
  const shown = useMemo(() => searchMappings(rows, wanted), [rows, wanted]);
  const { id, open, close } = useSelected(told.cluster);
  const unlisted = useMemo(() => unlistedFindings(told).map((finding) => ({ cluster: told.cluster, ...finding })), [told]);
  return (
    <section aria-label={all ? told.cluster : undefined} className={all ? "mapcluster" : undefined}>
      {all && <SectionHead title={<span className="mono">{told.cluster}</span>} sub={t("mapping.count", { count: rows.length })} />}
      <FindingsScope cluster={told.cluster} nodes={told.scopes} named={false} />
      <ListState told={told} />
      {shown.length > 0 && <Matrix told={told} rows={shown} selected={id} onOpen={open} />}
      {shown.length > 0 && <p className="label capnote">{t("mapping.capacity_note")}</p>}
      {rows.length > 0 && shown.length === 0 && <Empty title={t("mapping.none_found")} action={<button type="button" className="btn" onClick={onClear}>{t("list.all")}</button>} />}
      {id !== null && <Detail key={id} told={told} id={id} onClose={close} />}
      {unlisted.length > 0 && (
        <>
          <SectionHead title={t("mapping.unlisted")} sub={number(unlisted.length)} />
          <FindingList findings={unlisted} />
        </>
      )}
    </section>
  );
}

/** The selected mapping of a cluster, as the address says. */
function useSelected(cluster: string) {
  const { mapping } = useSearch({ from: "/frame/mappings" });
  const all = useAllClusters();
  const current = useCluster();
  const navigate = useNavigate();
  const selected = parseMapping(mapping, current, all);
  const open = useCallback((row: MappingRow) => {
    // The way back leads out of the selection at once, however many rows were looked at.
    void navigate({ to: ".", search: (old) => ({ ...old, mapping: writeMapping({ cluster, id: row.mapping.id }, all) }), replace: mapping !== undefined, resetScroll: false });
  }, [navigate, cluster, all, mapping]);
  const close = useCallback(() => { void navigate({ to: ".", search: (old) => ({ ...old, mapping: undefined }), resetScroll: false }); }, [navigate]);
  return { id: selected?.cluster === cluster ? selected.id : null, open, close };
}

/** Up to so many rows scroll in a box of their own, with the heads in sight. */
const mostInBox = 100;
const headHeight = 32;
/** So many rows need no box. */
const fewRows = 5;

interface MatrixProps {
  told: Mappings;
  rows: readonly MappingRow[];
  selected: string | null;
  onOpen: (row: MappingRow) => void;
}

function Matrix({ told, rows, selected, onOpen }: MatrixProps) {
  const { t: say } = useWords();
  const t = useMemo(() => remember((key, values) => (values === undefined ? say(key) : say(key, values))), [say]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Whoever follows a link to a mapping far down finds it; the page itself stays where it is.
    const panel = box.current?.firstElementChild;
    const row = box.current?.querySelector<HTMLElement>("tr.sel");
    if (panel && row) panel.scrollTop = row.offsetTop - headHeight;
  }, []);
  const columns = useMemo((): Column<MappingRow>[] => [
    { id: "mapping", title: t("mapping.name"), width: 216, className: "mx name", cell: (row) => <Name row={row} t={t} /> },
    ...told.nodes.map((node, at): Column<MappingRow> => ({
      id: `node ${node.node}`,
      title: <span className="mono">{node.node}</span>,
      className: "mx",
      cell: ({ mapping }) => { const cell = mapping.cells[at]; return cell && <CellView cell={cell} node={node} t={t} />; },
    })),
    { id: "vms", title: t("mapping.vms"), width: 72, className: "mx r count", cell: ({ mapping }) => <VMs count={mapping.vms} t={t} /> },
    { id: "findings", title: t("nav.findings"), width: 112, className: "mx fnd", cell: (row) => <Counts row={row} /> },
  ], [t, told.nodes]);
  const boxed = rows.length > fewRows && rows.length <= mostInBox;
  return (
    <div
      ref={box}
      className={["matrixbox", boxed ? "boxed" : "", rows.length > mostInBox ? "long" : "", selected === null ? "" : "chosen"].join(" ")}
      style={{ "--nodes": told.nodes.length } as CSSProperties}
    >
      <Table label={t("nav.mappings")} className="matrix" columns={columns} rows={rows} rowKey={keyOf} rowHeight={69} cardHeight={240} drawnAtOnce={mostInBox} selected={selected} onOpen={onOpen} />
    </div>
  );
}

function keyOf(row: MappingRow): string {
  return row.key;
}

function Name({ row: { mapping }, t }: { row: MappingRow; t: Say }) {
  const about = [mapping.description ?? mapping.models.map(shortName).join(", ")];
  if (mapping.entries !== 1) about.push(t("mapping.entries", { count: mapping.entries }));
  if (mapping.mdev) about.push("mdev");
  return (
    <>
      <span className="mono strong">{mapping.id}</span>
      <span className="label">{about.filter((part) => part !== "").join(", ")}</span>
    </>
  );
}

function VMs({ count, t }: { count: number; t: Say }) {
  const number = useNumber();
  return <><span className="ll">{t("mapping.vms")} </span><span className={count === 0 ? "num muted" : "num"}>{number(count)}</span></>;
}

/** How many findings of each severity there are. */
function Counts({ row: { cluster, findings } }: { row: MappingRow }) {
  const { t } = useWords();
  const number = useNumber();
  if (findings.length === 0) return <><span className="ll">{t("nav.findings")} </span><span className="muted">–</span></>;
  const counts = countBySeverity(findings.map((finding) => ({ cluster, ...finding })));
  return severities.filter((severity) => counts[severity] > 0).map((severity) => (
    <span key={severity} className="fcount num"><SeveritySign severity={severity} />{number(counts[severity])}</span>
  ));
}
