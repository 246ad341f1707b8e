import { useSearch } from "@tanstack/react-router";
import { IconPrinter } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { Icon } from "../../components/icon";
import { ExportMenu } from "../../components/list";
import { deviceCsv, deviceJson } from "../../domain/device-export";
import { listScope } from "../../domain/export";
import type { Row } from "../../domain/inventory";
import { incompleteBecause, type WholeScope } from "../../domain/scope";

interface DeviceExportProps {
  rows: readonly Row[];
  /** How much of the nodes that are shown was checked. */
  scope: WholeScope;
  settled: boolean;
}

/** What is on the screen, as a file or on paper. */
export function DeviceExport({ rows, scope, settled }: DeviceExportProps) {
  const { t } = useWords();
  const { cluster, node, state, q } = useSearch({ from: "/frame/gpus" });
  return (
    <ExportMenu
      name="gpu-resources" columns={deviceCsv} rows={rows} json={deviceJson} scope={listScope(incompleteBecause(scope, settled), { cluster, node, state, q })}
      more={[{ key: "print", label: <><Icon of={IconPrinter} />{t("gpu.print")}</>, separated: true, onSelect: () => { window.print(); } }]}
    />
  );
}
