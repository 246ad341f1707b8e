import type { CsvColumn } from "./export";
import type { Row } from "./inventory";

// Titles are the names of the API in every language: what reads such files looks for them.
export const deviceCsv: readonly CsvColumn<Row>[] = [
  { title: "cluster", cell: (row) => row.cluster },
  { title: "node", cell: (row) => row.node },
  { title: "address", cell: (row) => row.address },
  { title: "state", cell: (row) => row.state },
  { title: "device", cell: (row) => row.name },
  { title: "class", cell: (row) => row.device.class },
  { title: "vendor_id", cell: (row) => row.device.vendor_id },
  { title: "device_id", cell: (row) => row.device.device_id },
  { title: "iommu_group", cell: (row) => row.device.iommu_group },
  { title: "virtual_functions", cell: (row) => row.device.virtual_functions?.length ?? null },
  { title: "mdev_capable", cell: (row) => row.device.mdev_capable },
  { title: "references", cell: (row) => row.vms.flatMap(({ refs }) => refs.map((ref) => `${ref.vmid}:${ref.slot}:${ref.phase}:${ref.mapping ?? ref.selector}:${ref.certainty}`)).join(" ") },
  { title: "review", cell: (row) => row.device.review.map((review) => review.message).join(" ") },
];

/** A row as the API tells it, with its cluster and node. */
export function deviceJson(row: Row): object {
  return { cluster: row.cluster, node: row.node, ...row.device, virtual_function_details: row.functions };
}
