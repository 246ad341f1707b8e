import { memo, useState } from "react";
import { Link } from "@tanstack/react-router";
import { useWords } from "../i18n/words";
import type { Finding } from "../domain/finding";
import { findingKey } from "../domain/findings";
import { CopyButton } from "./copy";
import { FixMoved } from "./plan-buttons";
import { Remedies } from "./remedy";
import { SeveritySign } from "./sign";
import { VMLink } from "./vm";
import { useFindingText } from "./words";

export interface FindingListProps {
  findings: readonly Finding[];
  /** Opens the explanation of a code; without, the code leads to the page of findings. */
  onCode?: (code: Finding["code"]) => void;
  /** In half a page: evidence and remedy stand below each other. */
  narrow?: boolean;
  /** Several clusters are shown: each finding tells its own. */
  manyClusters?: boolean;
}

/** Findings, each with its evidence and what to do. */
export function FindingList({ findings, ...rest }: FindingListProps) {
  return <ul className="panel fnds">{findings.map((finding) => <FindingItem key={findingKey(finding)} finding={finding} {...rest} />)}</ul>;
}

interface FindingItemProps extends Omit<FindingListProps, "findings"> {
  finding: Finding;
  /** Its place in a list of which only a part is drawn, and how long that is. */
  index?: number;
  count?: number;
  measure?: (element: HTMLLIElement | null) => void;
}

function DrawnFinding({ finding, onCode, narrow = false, manyClusters = false, index, count, measure }: FindingItemProps) {
  const { t, i18n } = useWords();
  const title = `finding.title.${finding.code}`;
  const sentence = useFindingText()(finding);
  return (
    <li ref={measure} data-index={index} aria-posinset={index === undefined ? undefined : index + 1} aria-setsize={count}>
      <SeveritySign severity={finding.severity} />
      <div>
        {i18n.exists(title) && <p className="title">{t(title)}</p>}
        <p className="sentence-text" lang={sentence.lang}>{sentence.text}</p>
        <About finding={finding} onCode={onCode} manyClusters={manyClusters} />
        <Parts finding={finding} narrow={narrow} />
        <FixMoved cluster={finding.cluster} finding={finding} />
      </div>
    </li>
  );
}

/** Scrolling draws the findings that come, and none of those that stay. */
export const FindingItem = memo(DrawnFinding);

function About({ finding, onCode, manyClusters }: { finding: Finding; onCode: FindingListProps["onCode"]; manyClusters: boolean }) {
  const { t } = useWords();
  const { node, vmid, slot, device, mapping } = finding.subject;
  return (
    <div className="about num">
      {onCode
        ? <button type="button" className="textlink mono" title={t("findings.explain")} aria-haspopup="dialog" onClick={() => { onCode(finding.code); }}>{finding.code}</button>
        : <Link className="mono" to="/findings" search={{ cluster: finding.cluster, code: finding.code, about: finding.code }}>{finding.code}</Link>}
      {manyClusters && <span>{finding.cluster}</span>}
      {node !== undefined && <span className="mono">{node}</span>}
      {vmid !== undefined && <span>{t("list.vm")} <VMLink cluster={finding.cluster} vmid={vmid} name={null} /></span>}
      {slot !== undefined && <span className="mono">{slot}</span>}
      {device !== undefined && <DeviceLink finding={finding} node={node} device={device} />}
      {mapping !== undefined && <span>{t("vm.mapping")} <Link className="mono" to="/mappings" search={{ cluster: finding.cluster, mapping }}>{mapping}</Link></span>}
    </div>
  );
}

function DeviceLink({ finding, node, device }: { finding: Finding; node: string | undefined; device: string }) {
  const gpus: string = "/gpus";
  if (node === undefined) return <span className="mono">{device}</span>;
  return <Link className="mono" to={gpus} search={{ cluster: finding.cluster, node, device: device }}>{device}</Link>;
}

function Parts({ finding, narrow }: { finding: Finding; narrow: boolean }) {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const { evidence, remedy } = finding;
  if (evidence.length === 0 && remedy.length === 0) return null;
  return (
    <details onToggle={(event) => { setOpen(event.currentTarget.open); }}>
      <summary>{remedy.length > 0 ? t("findings.parts") : t("findings.evidence")}</summary>
      <div className={narrow ? "parts one" : "parts"}>
        {evidence.length > 0 && (
          <div>
            <h3>{t("findings.evidence")} <CopyButton text={evidence.join("\n")} label={t("findings.copy_evidence")} /></h3>
            {evidence.map((line, index) => <p key={index} className="mono" lang="en">{line}</p>)}
          </div>
        )}
        {remedy.length > 0 && <div><h3>{t("findings.remedy")}</h3><Remedies finding={finding} shown={open} /></div>}
      </div>
    </details>
  );
}
