import type { components } from "../api/schema";
import type { CsvColumn } from "./export";
import type { Cell, Mapping, MappingRow } from "./mapping";

/** A mapping on one node. */
export interface MappingCell {
  cluster: string;
  mapping: Mapping;
  cell: Cell;
}

/** One row for each mapping and node. */
export function mappingCells(rows: readonly MappingRow[]): MappingCell[] {
  return rows.flatMap(({ cluster, mapping }) => mapping.cells.map((cell) => ({ cluster, mapping, cell })));
}

/** The columns of the file of mappings; what a cell has several of is separated by semicolons. */
export const mappingCsv: readonly CsvColumn<MappingCell>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "mapping", cell: (row) => row.mapping.id },
  { title: "description", cell: (row) => row.mapping.description },
  { title: "mdev", cell: (row) => row.mapping.mdev },
  { title: "live_migration_capable", cell: (row) => row.mapping.live_migration_capable },
  { title: "node", cell: (row) => row.cell.node },
  { title: "verdict", cell: (row) => row.cell.verdict },
  { title: "capacity", cell: (row) => row.cell.capacity },
  { title: "demand", cell: (row) => row.cell.demand.slots },
  { title: "vms", cell: (row) => row.cell.demand.vms },
  { title: "running", cell: (row) => row.cell.demand.running },
  { title: "start_by_themselves", cell: (row) => row.cell.demand.starting },
  { title: "stopped", cell: (row) => row.cell.demand.stopped },
  { title: "templates", cell: (row) => row.cell.demand.templates },
  { title: "status_unknown", cell: (row) => row.cell.demand.status_unknown },
  { title: "entries", cell: (row) => row.cell.entries.map((entry) => entry.map).join("; ") },
  { title: "faults", cell: (row) => row.cell.entries.flatMap((entry) => entry.faults.map((fault) => fault.message)).join("; ") },
  { title: "pve_checks", cell: (row) => row.cell.pve_checks?.map((check) => `${check.severity}: ${check.message}`).join("; ") ?? null },
  { title: "pve_agrees", cell: (row) => row.cell.agrees },
];

type Suggestion = components["schemas"]["AnswerSuggestion"];

/** A proposed mapping of a cluster. */
export interface SuggestionRow {
  cluster: string;
  suggestion: Suggestion;
}

/** The columns of the file of suggestions: one row for each proposed mapping. */
export const suggestionCsv: readonly CsvColumn<SuggestionRow>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "mapping", cell: (row) => row.suggestion.id },
  { title: "exists", cell: (row) => row.suggestion.changes },
  { title: "device", cell: (row) => row.suggestion.device_name },
  { title: "device_ids", cell: (row) => row.suggestion.device_ids },
  { title: "mdev", cell: (row) => row.suggestion.mdev },
  { title: "entries", cell: (row) => row.suggestion.map.join("; ") },
  { title: "added", cell: (row) => row.suggestion.added.map((at) => row.suggestion.map[at] ?? "").join("; ") },
  { title: "raw_lines", cell: (row) => row.suggestion.raw_lines.map(({ vmid, node, slot }) => `${node}/${vmid}/${slot}`).join(" ") },
  { title: "no_iommu_group", cell: (row) => row.suggestion.no_iommu_group },
  { title: "commands", cell: (row) => row.suggestion.commands },
];
