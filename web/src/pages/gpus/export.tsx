import { useTranslation } from "react-i18next";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { download } from "../../components/download";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import { devicesToCsv, devicesToJson } from "../../domain/device-export";
import type { Row } from "../../domain/inventory";

/** What is on the screen, as a file or on paper. */
export function ExportMenu({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation();
  return (
    <Menu
      className="btn"
      button={<><Icon of={IconDownload} />{t("gpu.export")}</>}
      items={[
        { key: "csv", label: <><Icon of={IconDownload} />{t("gpu.export_csv")}</>, onSelect: () => { download("gpu-resources.csv", "text/csv;charset=utf-8", devicesToCsv(rows)); } },
        { key: "json", label: <><Icon of={IconDownload} />{t("gpu.export_json")}</>, onSelect: () => { download("gpu-resources.json", "application/json", devicesToJson(rows)); } },
        { key: "print", label: <><Icon of={IconPrinter} />{t("gpu.print")}</>, separated: true, onSelect: () => { window.print(); } },
      ]}
    />
  );
}
