import { useWords } from "../../i18n/words";
import { Sign, SeveritySign } from "../../components/sign";
import { NotTold } from "../../components/states";
import { formatTime } from "../../domain/format";
import { pveLines, type Mapping, type PVELine } from "../../domain/mapping";

/** What Proxmox VE's own check says on each node, and whether we say the same. */
export function PVEChecks({ mapping }: { mapping: Mapping }) {
  return pveLines(mapping).map((line) => <Line key={`${line.nodes.join(" ")} ${line.kind}`} line={line} />);
}

function Line({ line }: { line: PVELine }) {
  const { t, i18n } = useWords();
  const { nodes, at, kind, checks, agrees } = line;
  return (
    <div className="pve num">
      <span className="label">{t("mapping.pve_on")} <span className="mono">{nodes.join(", ")}</span>{at !== null && nodes.length === 1 && <>, {formatTime(new Date(at), i18n.language)}</>}</span>
      {kind === "said" && checks.map((check) => <code key={`${check.severity} ${check.message}`} className="mono" lang="en">{check.message}</code>)}
      {kind === "no_remark" && <span>{t("mapping.remark.none")}</span>}
      {kind === "not_asked" && <NotTold>{t("mapping.remark.not_asked")}</NotTold>}
      {kind === "not_read" && <span className="v muted"><Sign name="s-notread" />{t("mapping.remark.not_read")}</span>}
      {(kind === "said" || kind === "no_remark") && <Agreement agrees={agrees} />}
    </div>
  );
}

function Agreement({ agrees }: { agrees: boolean | null }) {
  const { t } = useWords();
  if (agrees === null) return <NotTold>{t("mapping.ours_unknown")}</NotTold>;
  if (agrees) return <span className="mark"><Sign name="c-ok" />{t("mapping.same")}</span>;
  return <span className="mark differs"><SeveritySign severity="warning" />{t("mapping.differs")}</span>;
}
