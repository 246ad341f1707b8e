import { useMemo } from "react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import type { ListedFinding } from "../../api/findings";
import { CardLabel } from "../../components/list";
import { Sign, SeveritySign } from "../../components/sign";
import { Bar } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { findingsOfVM, type VMInList } from "../../domain/vm";
import { LineView } from "./line";
import { VMStatus } from "./status";

interface Told {
  cluster: string;
  told: { findings: ListedFinding[] } | null;
  error: unknown;
}

interface VMTableProps {
  rows: readonly VMInList[];
  manyClusters: boolean;
  findings: readonly Told[];
}

export function VMTable({ rows, manyClusters, findings }: VMTableProps) {
  const { t } = useWords();
  const navigate = useNavigate();
  const columns = useMemo((): Column<VMInList>[] => [
    { id: "vm", title: t("vm.vm"), width: 216, cell: (row) => <Name row={row} /> },
    { id: "node", title: t("vm.node"), width: 136, cell: (row) => <div><span className="mono">{row.node}</span>{manyClusters && <span className="label"> {row.cluster}</span>}<div><VMStatus vm={row} /></div></div> },
    { id: "lines", title: t("vm.lines"), cell: (row) => <Lines row={row} /> },
    { id: "findings", title: t("nav.findings"), width: 136, cell: (row) => <Findings row={row} told={findings.find((one) => one.cluster === row.cluster)} /> },
  ], [t, manyClusters, findings]);
  return (
    <Table
      label={t("nav.vms")} columns={columns} rows={rows} rowKey={keyOf} rowHeight={52} cardHeight={180}
      onOpen={(row) => { void navigate({ to: "/vms/$cluster/$vmid", params: { cluster: row.cluster, vmid: String(row.vmid) } }); }}
    />
  );
}

function keyOf(row: VMInList): string {
  return row.key;
}

function Name({ row }: { row: VMInList }) {
  const { t } = useWords();
  return (
    <div>
      <Link to="/vms/$cluster/$vmid" params={{ cluster: row.cluster, vmid: String(row.vmid) }}>
        <span className="mono">{row.vmid}</span> <span className="strong">{row.name ?? t("vm.no_name")}</span>
      </Link>
      {row.managed && <div className="label">{row.desktop ?? t("vm.managed")}</div>}
    </div>
  );
}

function Lines({ row }: { row: VMInList }) {
  const { t } = useWords();
  if (row.lines === null) return <span className="is-unreferenced"><Sign name="s-notread" /> {t("vm.config_not_read")}</span>;
  return <ul className="lns">{row.lines.map((line) => <LineView key={`${line.slot} ${line.phase}`} line={line} />)}</ul>;
}

/** How many findings there are, and the worst severity. They come after the list. */
function Findings({ row, told }: { row: VMInList; told: Told | undefined }) {
  const { t } = useWords();
  if (told?.error) return <span className="nottold">{t("vm.findings_not_read")}</span>;
  if (!told?.told) return <Bar width={48} />;
  const own = findingsOfVM(told.told.findings, row);
  const worst = own[0];
  if (!worst) return <span className="muted"><CardLabel>{t("nav.findings")}: </CardLabel>{row.config_read ? t("vm.no_findings") : t("vm.not_examined")}</span>;
  return <span className="counts"><SeveritySign severity={worst.severity} /><span className="num">{t("vm.findings", { count: own.length })}</span></span>;
}
