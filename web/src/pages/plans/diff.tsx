import { Fragment } from "react";
import { useWords } from "../../i18n/words";
import { useList } from "../../components/words";
import { functionClass, functionsAre, lineDiff, mappingDiff, type DiffLine, type Plan, type PlannedLine, type PlanStep } from "../../domain/plan";

/** What changes: lines of VMs, or else entries and properties of mappings. */
export function Diffs({ plan }: { plan: Plan }) {
  const { t } = useWords();
  const vms = plan.steps.filter(({ action }) => action === "set_vm");
  const steps = vms.length > 0 ? vms : plan.steps.filter(({ before, after }) => before !== null || after !== null);
  if (steps.length === 0) return null;
  return (
    <div className="diff" role="group" aria-label={t("plan.changes")}>
      {steps.map((step) => (
        <Fragment key={`${step.action} ${step.vmid ?? ""} ${step.mapping ?? ""}`}>
          {vms.length > 1 && <p className="label">{t("plan.vm_lines", { vmid: step.vmid, name: step.vm_name ?? "–" })}</p>}
          {step.action === "set_vm" ? <VMLines plan={plan} step={step} /> : <Lines lines={mappingDiff(step.before, step.after)} />}
        </Fragment>
      ))}
    </div>
  );
}

function VMLines({ plan, step }: { plan: Plan; step: PlanStep }) {
  const { t } = useWords();
  return (
    <>
      {step.lines.map((line) => (
        <Fragment key={line.slot}>
          <Lines lines={lineDiff(line)} />
          <Functions plan={plan} step={step} line={line} />
        </Fragment>
      ))}
      <p className="label">{t("plan.others_kept")}</p>
    </>
  );
}

const words = { "-": "plan.gone", "+": "plan.put", "=": "plan.kept" } as const;
const marks = { "-": "−", "+": "+", "=": "=" } as const;

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  const { t } = useWords();
  return lines.map(({ sign, parts }, at) => (
    <div key={at} className={sign === "+" ? undefined : "old"}>
      <span className="sg" title={t(words[sign])}><span aria-hidden>{marks[sign]}</span><span className="sr">{t(words[sign])}</span></span>
      <code>{parts.map((part, index) => (part.strong ? <b key={index}>{part.text}</b> : <Fragment key={index}>{part.text}</Fragment>))}</code>
    </div>
  ));
}

/** The functions that a line gives, by name: whoever reads it knows what is meant. */
function Functions({ plan, step, line }: { plan: Plan; step: PlanStep; line: PlannedLine }) {
  const { t } = useWords();
  const list = useList();
  const functions = line.functions.map(({ address, class: code }) => {
    const known = functionClass(code);
    return known === null ? `${address} (${code.replace(/^0x/, "")})` : `${address} ${t(`plan.class.${known}`)}`;
  });
  return <p className="label">{t(`plan.functions.${functionsAre(plan, step, line)}`, { count: functions.length, functions: list(functions) })}</p>;
}
