import { useState } from "react";
import { IconDownload } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useMappingExport, type ExportFormat } from "../../api/mappings";
import { CopyButton } from "../../components/copy";
import { Dialog } from "../../components/dialog";
import { download } from "../../components/download";
import { Select } from "../../components/field";
import { Icon } from "../../components/icon";
import { Sign } from "../../components/sign";
import { Bar, Failed } from "../../components/states";

const files: Record<ExportFormat, { ending: string; type: string }> = {
  commands: { ending: "sh", type: "text/x-shellscript" },
  terraform: { ending: "tf", type: "text/plain;charset=utf-8" },
  json: { ending: "json", type: "application/json" },
};
const formats = Object.keys(files) as ExportFormat[];

interface WriteDownDialogProps {
  clusters: readonly string[];
  suggested: boolean;
  mapping: string | null;
  whole: boolean;
  format: ExportFormat;
  onFormat: (format: ExportFormat) => void;
  onClose: () => void;
}

/** Mappings written down, to be read, copied or saved. */
export function WriteDownDialog({ clusters, suggested, mapping, whole, format, onFormat, onClose }: WriteDownDialogProps) {
  const { t } = useWords();
  const [chosen, setChosen] = useState(clusters[0] ?? "");
  const title = mapping ?? t(suggested ? "mapping.export_suggested" : "mapping.export_all", { cluster: chosen });
  const query = useMappingExport({ cluster: chosen, format, suggested, mapping });
  const text = query.error ? undefined : query.data?.text;
  return (
    <Dialog title={title} sub={t(`mapping.format_sub.${format}`)} onClose={onClose}>
      <div className="dlb writedown">
        <div className="filters">
          <div className="seg" role="group" aria-label={t("mapping.format_label")}>
            {formats.map((one) => <button key={one} type="button" className="btn" aria-pressed={one === format} onClick={() => { onFormat(one); }}>{t(`mapping.format.${one}`)}</button>)}
          </div>
          {clusters.length > 1 && <Select label={t("frame.cluster")} value={chosen} choices={clusters.map((name) => ({ value: name, label: name }))} onChange={setChosen} />}
        </div>
        {!whole && mapping === null && <p className="withsign"><span className="is-review"><Sign name="s-review" /></span><span>{t(suggested ? "mapping.suggestions_unproven" : "mapping.export_unproven")}</span></p>}
        {query.error !== null && <Failed error={query.error} busy={query.isFetching} onRetry={() => { void query.refetch(); }} />}
        {query.error === null && <pre className="mono" tabIndex={0} aria-label={title} aria-busy={text === undefined}>{text === undefined ? <Bar width={320} /> : wordsOf(text) ?? t("mapping.export_empty")}</pre>}
      </div>
      <div className="dlf">
        <span className="label">{t("mapping.proposal_note")}</span>
        {text !== undefined && wordsOf(text) !== null && (
          <span className="acts">
            <button type="button" className="btn" onClick={() => { download(nameOf({ chosen, suggested, mapping, format }), files[format].type, text); }}><Icon of={IconDownload} />{t("mapping.save_file")}</button>
            <CopyButton text={text} look="btn primary">{t("frame.copy")}</CopyButton>
          </span>
        )}
      </div>
    </Dialog>
  );
}

/** null: nothing is written down. */
function wordsOf(text: string): string | null {
  return text.trim() === "" || text.trim() === "[]" ? null : text;
}

function nameOf({ chosen, suggested, mapping, format }: { chosen: string; suggested: boolean; mapping: string | null; format: ExportFormat }): string {
  const what = mapping === null ? "" : `-${mapping}`;
  return `${suggested ? "suggested-mappings" : "mappings"}-${chosen}${what}.${files[format].ending}`;
}
