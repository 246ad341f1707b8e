import { useWords } from "../../i18n/words";
import type { Devices } from "../../components/inventory";
import { useNumber } from "../../components/number";
import { Remedies } from "../../components/remedy";
import { SeveritySign } from "../../components/sign";
import { Bar, Failed } from "../../components/states";
import { useFindingText } from "../../components/words";
import { findingsOf, type Finding } from "../../domain/finding";

interface DeviceFindingsProps {
  cluster: string;
  node: string;
  address: string;
  findings: Devices["findings"];
  /** The nodes have not all answered: findings compare them. */
  waiting: boolean;
}

/** What is worth acting on about the device, and about the lines, VMs and mappings that name it. */
export function DeviceFindings({ cluster, node, address, findings, waiting }: DeviceFindingsProps) {
  const { t } = useWords();
  const number = useNumber();
  const own = findingsOf(findings.findings, cluster, node, address);
  const pending = findings.pending || waiting;
  return (
    <div className="sec">
      <h3>{t("gpu.findings")} {!pending && findings.error === null && <span className="label num">{number(own.length)}</span>}</h3>
      {findings.error !== null && <Failed error={findings.error} onRetry={findings.refresh} />}
      {findings.error === null && pending && <p><Bar width={280} /></p>}
      {findings.error === null && !pending && own.length === 0 && <p className="muted">{t("gpu.no_findings")}</p>}
      {own.map((finding) => <OneFinding key={`${finding.code} ${finding.sentence}`} finding={finding} />)}
    </div>
  );
}

function OneFinding({ finding }: { finding: Finding }) {
  const { text, lang } = useFindingText()(finding);
  return (
    <div className="sentence devfinding">
      <SeveritySign severity={finding.severity} />
      <div>
        <p lang={lang}>{text}</p>
        <p className="label"><span className="mono">{finding.code}</span></p>
        {finding.remedy.length > 0 && <Remedies finding={finding} />}
      </div>
    </div>
  );
}
