import { useWords } from "../../i18n/words";
import { MarkWord, useMarkText } from "../../components/mark";
import { SeveritySign, Sign } from "../../components/sign";
import { VMSign } from "../../components/vm";
import type { Finding } from "../../domain/finding";
import type { Row, VMRefs } from "../../domain/inventory";
import { hostMarks, referencesOf, remarkOf, vfMarks, vgpusOf, type Mark } from "../../domain/marks";
import { useNoteText } from "./note";

const linesShown = 3;

/** The VMs that name the device, three at most. */
export function Refs({ row }: { row: Row }) {
  const { t } = useWords();
  if (row.vms.length === 0) return <span className="muted">–</span>;
  const more = row.vms.length - linesShown;
  return (
    <ul className="refs">
      {row.vms.slice(0, linesShown).map((vm) => <RefLine key={vm.vmid} vm={vm} />)}
      {more > 0 && <li className="more label">{t("gpu.more", { count: more })}</li>}
    </ul>
  );
}

function RefLine({ vm }: { vm: VMRefs }) {
  const { t } = useWords();
  const remark = remarkOf(vm.refs);
  return (
    <li>
      <span className="id mono">{vm.vmid}</span>
      <VMSign vm={vm} />
      <span className="nm" title={vm.desktop ?? undefined}>{vm.name ?? <span className="nottold">{t("gpu.no_name")}</span>}</span>
      <span className="ph">{remark !== null && <Remark remark={remark} />}</span>
    </li>
  );
}

const remarkSigns = { pending: "m-pending", pending_removal: "m-removal", candidate: "m-candidate" } as const;

export function Remark({ remark }: { remark: keyof typeof remarkSigns }) {
  const { t } = useWords();
  return <span className="mark"><Sign name={remarkSigns[remark]} />{t(`gpu.mark.${remark}`)}</span>;
}

/** Of each of these VMs, how it names the device. */
export function Via({ row }: { row: Row }) {
  if (row.vms.length === 0) return <span className="muted">–</span>;
  return <ul className="lines">{row.vms.slice(0, linesShown).map((vm) => <ViaLine key={vm.vmid} vm={vm} />)}</ul>;
}

function ViaLine({ vm }: { vm: VMRefs }) {
  const { t } = useWords();
  const ref = vm.refs.find(({ mapping }) => mapping !== null) ?? vm.refs[0];
  if (ref?.mapping == null) return <li className="muted">{t("gpu.raw_address")}</li>;
  const candidate = ref.certainty === "candidate";
  return (
    <li title={candidate ? t("gpu.candidate_title") : undefined}>
      <span className="muted"><Sign name={candidate ? "m-candidate" : "m-mapping"} /></span> <span className="mono">{ref.mapping}</span>
    </li>
  );
}

/** The worst findings in a few words, and what else is worth knowing before the drawer. */
export function Notes({ row, findings }: { row: Row; findings: readonly Finding[] }) {
  const { t } = useWords();
  const note = useNoteText();
  const text = useMarkText();
  const codes = [...new Map(findings.map((finding) => [finding.code, finding])).values()].filter(({ severity }) => severity !== "info");
  const marks: Mark[] = [...hostMarks(row), ...vfMarks(row)];
  if (row.vf) marks.push({ kind: "vf", params: { ...row.vf }, text: "" });
  if (row.device.mdev_capable === true) marks.push({ kind: "vgpu", params: { used: vgpusOf(referencesOf(row)).length }, text: "" });
  if (codes.length === 0 && marks.length === 0) return null;
  return (
    <ul className="notes">
      {codes.slice(0, 2).map((finding) => <li key={finding.code}><SeveritySign severity={finding.severity} /><span>{note(finding.code)}</span></li>)}
      {codes.length > 2 && <li className="muted">{t("gpu.more_findings", { count: codes.length - 2 })}</li>}
      {marks.map((mark) => <li key={mark.kind} title={text(mark)}><MarkWord mark={mark} /></li>)}
    </ul>
  );
}
