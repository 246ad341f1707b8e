import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { Raw } from "../../components/copy";
import { useNumber } from "../../components/number";
import { ConvertVM, TakeSuggestion } from "../../components/plan-buttons";
import { SeveritySign } from "../../components/sign";
import { VMLink } from "../../components/vm";
import { shortName } from "../../domain/mapping";
import { WriteDownMenu } from "./export-menu";

type Suggestion = Schemas["AnswerSuggestion"];

interface SuggestionProps {
  cluster: string;
  suggestion: Suggestion;
  /** All mappings that there are were visible. */
  whole: boolean;
}

/** One proposed mapping: its entries, the lines that name its devices by address, and how to make it. */
export function SuggestionView({ cluster, suggestion, whole }: SuggestionProps) {
  const { t } = useWords();
  const number = useNumber();
  const { id, raw_lines: raw } = suggestion;
  return (
    <section className="panel detail" aria-label={id}>
      <div className="dth">
        <h2 className="mono">{id}</h2>
        <About suggestion={suggestion} />
        <span className="acts"><WriteDownMenu clusters={[cluster]} suggested mapping={id} whole={whole} /><TakeSuggestion cluster={cluster} suggestion={suggestion} /></span>
      </div>
      <div className="split wide">
        <div>
          <h3>{t("mapping.entries_head")} <span className="label num">{number(suggestion.map.length)}</span></h3>
          <EntryLines suggestion={suggestion} />
          {suggestion.no_iommu_group && <p className="withsign after"><SeveritySign severity="warning" /><span>{t("mapping.no_group")}</span></p>}
        </div>
        <div>
          <h3>{t("mapping.raw_lines")} <span className="label num">{number(raw.length)}</span></h3>
          {raw.length === 0 ? <p className="muted">{t("mapping.no_raw")}</p> : <RawLines cluster={cluster} lines={raw} />}
        </div>
      </div>
      <div className="docommand"><Raw text={suggestion.commands} label={t("mapping.copy_commands", { name: id })} /></div>
    </section>
  );
}

function About({ suggestion }: { suggestion: Suggestion }) {
  const { t } = useWords();
  const words = [
    suggestion.device_name === null ? "" : shortName(suggestion.device_name), suggestion.device_ids, suggestion.mdev ? "mdev" : "",
    suggestion.changes ? t("mapping.more", { count: suggestion.added.length }) : t("mapping.new"),
  ];
  return <span className="muted">{words.filter((word) => word !== "").join(" · ")}</span>;
}

/** All entries that the mapping would have; those that are added are marked. */
function EntryLines({ suggestion }: { suggestion: Suggestion }) {
  const { t } = useWords();
  return (
    <ul className="entrylines">
      {suggestion.map.map((entry, at) => {
        const added = suggestion.added.includes(at);
        return (
          <li key={entry} className={added ? undefined : "muted"}>
            <span className="sg" title={t(added ? "mapping.added" : "mapping.kept")}><span aria-hidden>{added ? "+" : "="}</span><span className="sr">{t(added ? "mapping.added" : "mapping.kept")}</span></span>
            <code className="mono">{entry}</code>
          </li>
        );
      })}
    </ul>
  );
}

/** The lines that would name the mapping instead of an address. */
function RawLines({ cluster, lines }: { cluster: string; lines: Suggestion["raw_lines"] }) {
  return (
    <ul className="rawlines">
      {lines.map((line, at) => (
        <li key={`${line.node} ${line.vmid} ${line.slot}`}>
          <span><span className="mono">{line.vmid}</span> <VMLink cluster={cluster} vmid={line.vmid} name={line.name} /></span>
          <span className="mono">{line.slot}</span>
          <span className="mono muted">{line.node}</span>
          {lines.findIndex(({ vmid, node }) => vmid === line.vmid && node === line.node) === at && <ConvertVM cluster={cluster} vmid={line.vmid} small />}
        </li>
      ))}
    </ul>
  );
}
