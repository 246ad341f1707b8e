import { IconDownload } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { desktopsFile, type DesktopList } from "../../api/desktops";
import { follow } from "../../components/download";
import { Icon } from "../../components/icon";
import { ExportMenu } from "../../components/list";
import { desktopCsv, missingDesktops, type DesktopInList } from "../../domain/desktop";
import { listScope } from "../../domain/export";

interface DesktopExportProps {
  lists: readonly DesktopList[];
  rows: readonly DesktopInList[];
  q: string;
}

/** What is on the screen as a file, and of each cluster the file that an import takes. */
export function DesktopExport({ lists, rows, q }: DesktopExportProps) {
  const { t } = useWords();
  return (
    <ExportMenu
      name="desktops" columns={desktopCsv} rows={rows} scope={listScope(missingDesktops(lists), { cluster: lists.map((list) => list.cluster).join(","), q })}
      more={lists.map(({ cluster }, at) => ({
        key: cluster, label: <><Icon of={IconDownload} />{t("desktop.export_of", { cluster })}</>, separated: at === 0, onSelect: () => { follow(desktopsFile(cluster)); },
      }))}
    />
  );
}
