import { useId, useState, type ChangeEvent } from "react";
import { useWords } from "../../i18n/words";
import { useImportDesktops, type ImportMode } from "../../api/desktops";
import { ApiError } from "../../api/problem";
import { Raw } from "../../components/copy";
import { Dialog } from "../../components/dialog";
import { ChoiceField, FormDialog, TextArea } from "../../components/form";
import { lineFaults } from "../../domain/faults";
import { ClusterField } from "./cluster-field";

/** Registers what a CSV file names. With a fault in one line nothing is imported; all faults are listed. */
export function ImportDialog({ clusters, onClose }: { clusters: readonly string[]; onClose: () => void }) {
  const { t } = useWords();
  const [cluster, setCluster] = useState(clusters[0] ?? "");
  const send = useImportDesktops(cluster);
  const [csv, setCSV] = useState("");
  const [mode, setMode] = useState<ImportMode>("merge");
  if (send.data) {
    return (
      <Dialog title={t("desktop.imported")} sub={cluster} onClose={onClose}>
        <div className="dlb" role="status"><p>{t("desktop.imported_what", { ...send.data })}</p></div>
        <div className="dlf"><span className="acts"><button type="button" className="btn primary" onClick={onClose}>{t("frame.close")}</button></span></div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t("desktop.import")} sub={cluster} send={t("desktop.import_go")} wide held={csv.trim() === ""}
      onClose={onClose} onSubmit={() => { send.mutate({ csv, mode }); }} error={send.error} busy={send.isPending}
    >
      <LineFaults error={send.error} />
      <ClusterField clusters={clusters} value={cluster} onChange={(name) => { setCluster(name); send.reset(); }} />
      <div className="labelled"><span className="label">{t("desktop.format")}</span><Raw text={"vmid,name,note\n100,Desktop 1,second floor"} label={t("desktop.copy_format")} /></div>
      <FileField onText={(text) => { setCSV(text); send.reset(); }} />
      <TextArea label={t("desktop.csv")} rows={8} mono value={csv} onChange={setCSV} placeholder="vmid,name,note" />
      <ChoiceField
        label={t("desktop.mode")} value={mode} hint={t(`desktop.mode_${mode}_hint`)}
        choices={[{ value: "merge", label: t("desktop.mode_merge") }, { value: "replace", label: t("desktop.mode_replace") }]}
        onChange={(value) => { setMode(value === "replace" ? "replace" : "merge"); }}
      />
    </FormDialog>
  );
}

function FileField({ onText }: { onText: (text: string) => void }) {
  const { t } = useWords();
  const id = useId();
  const take = (event: ChangeEvent<HTMLInputElement>) => { void event.target.files?.[0]?.text().then(onText); };
  return (
    <div className="labelled">
      <label htmlFor={id}>{t("desktop.file")}</label>
      <input id={id} type="file" accept=".csv,text/csv" onChange={take} />
    </div>
  );
}

function LineFaults({ error }: { error: unknown }) {
  const { t } = useWords();
  const faults = error instanceof ApiError ? lineFaults(error.fields) : [];
  if (faults.length === 0) return null;
  return (
    <ul className="faults" aria-label={t("desktop.faults")}>
      {faults.map((fault, index) => (
        <li key={index}>
          <span className="strong nw">{fault.line === null ? t("desktop.whole_file") : t("desktop.line", { line: fault.line })}</span>
          <span lang="en">{fault.message}</span>
        </li>
      ))}
    </ul>
  );
}
