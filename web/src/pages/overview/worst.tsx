import { Link } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAllClusters } from "../../components/cluster";
import { SectionHead } from "../../components/head";
import { usePagePaths } from "../../components/nav";
import { SeveritySign } from "../../components/sign";
import { Bar, Dot, Failed } from "../../components/states";
import { useFindingText } from "../../components/words";
import type { Finding } from "../../domain/finding";
import { shortAddress } from "../../domain/model";

const findingsPath: string = "/findings";
const shown = 7;

interface WorstProps {
  pending: boolean;
  error: unknown;
  /** The cluster that gave the error. */
  failed: string | null;
  findings: readonly Finding[];
  refresh: () => void;
  /** The nodes have not all answered: findings compare them. */
  waiting: boolean;
}

/** The findings that weigh most, and the way to all of them. Where one cluster did not answer, its error stands above those of the others. */
export function WorstFindings({ pending, error, failed, findings, refresh, waiting }: WorstProps) {
  const { t } = useWords();
  const has = usePagePaths().has(findingsPath);
  const all = useAllClusters();
  const settling = pending || waiting;
  const more = has && findings.length > 0 ? <Link to={findingsPath}>{t("overview.all_findings", { count: findings.length })}</Link> : undefined;
  return (
    <div>
      <SectionHead title={t("overview.worst")} {...(more === undefined ? {} : { more })} />
      {error !== null && <Failed of={all ? failed ?? undefined : undefined} error={error} onRetry={refresh} busy={pending} />}
      {error === null && settling && <Skeleton />}
      {error === null && !settling && findings.length === 0 && <div className="panel"><div className="empty"><p className="muted">{t("overview.no_findings")}</p></div></div>}
      {!settling && findings.length > 0 && <ul className="panel flist">{findings.slice(0, shown).map((finding, index) => <Line key={index} finding={finding} has={has} />)}</ul>}
    </div>
  );
}

function Line({ finding, has }: { finding: Finding; has: boolean }) {
  const { t, i18n } = useWords();
  const { text, lang } = useFindingText()(finding);
  const all = useAllClusters();
  const { node, device, vmid, slot, mapping } = finding.subject;
  const about = [all ? finding.cluster : undefined, node, device === undefined ? undefined : shortAddress(device), vmid === undefined ? undefined : `${t("list.vm")} ${vmid}`, slot, mapping].filter((part) => part !== undefined);
  const title = `finding.title.${finding.code}`;
  const words = <span className="clamp" title={text} lang={i18n.exists(title) ? undefined : lang}>{i18n.exists(title) ? t(title) : text}</span>;
  return (
    <li>
      <SeveritySign severity={finding.severity} />
      <div>
        {device !== undefined && node !== undefined
          ? <Link to="/gpus" search={{ cluster: finding.cluster, node, device }} className="plainlink">{words}</Link>
          : has ? <Link to={findingsPath} search={{ cluster: finding.cluster }} className="plainlink">{words}</Link> : words}
        <span className="label num">{about.join(" · ")}</span>
      </div>
    </li>
  );
}

function Skeleton() {
  return (
    <ul className="panel flist" aria-hidden>
      {[200, 180, 220].map((width) => <li key={width}><Dot /><div><Bar width={width} /><span className="label"><Bar width={96} /></span></div></li>)}
    </ul>
  );
}
