import { useWords } from "../../i18n/words";
import { Raw } from "../../components/copy";
import { Sign } from "../../components/sign";
import { useList } from "../../components/words";
import type { Need, PlanStep } from "../../domain/plan";
import { Named } from "./named";

/** The steps of a plan by number: what each sends, who may, and what guards it. */
export function Steps({ steps }: { steps: readonly PlanStep[] }) {
  const { t } = useWords();
  return (
    <ol className="steps" aria-label={t("plan.steps")}>
      {steps.map((step, at) => (
        <li key={at} className="step">
          <span className="no num" aria-hidden>{at + 1}</span>
          <div>
            <div className="sh"><StepTitle step={step} />{step.request === null ? <span className="muted">{t("plan.yours", { vmid: step.vmid })}</span> : <span className="mono muted">{step.request}</span>}</div>
            <Raw text={step.command} label={t("plan.copy_step", { number: at + 1 })} />
            {step.request !== null && (
              <dl className="kv tight">
                <dt>{t("plan.who_may")}</dt><dd><WhoMay needs={step.needs} /></dd>
                <dt>{t("plan.guard")}</dt><dd><GuardWords step={step} /></dd>
              </dl>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What a step does, in a few words. */
export function StepTitle({ step }: { step: PlanStep }) {
  const { t } = useWords();
  const list = useList();
  const slots = list(step.lines.map(({ slot }) => slot));
  const name = step.mapping ?? "";
  const title = t(`plan.action.${step.action}`, { name, slots, vmid: step.vmid ?? "", count: step.lines.length });
  return <b><Named text={title} names={step.action === "set_vm" ? step.lines.map(({ slot }) => slot) : [name]} /></b>;
}

const signs = { yes: "c-ok", no: "c-no", untold: "c-unknown" } as const;

/** The privileges that a step needs, and whether the present credential has each. */
function WhoMay({ needs }: { needs: readonly Need[] }) {
  const { t } = useWords();
  return needs.map((need) => {
    const held = need.held === null ? "untold" : need.held ? "yes" : "no";
    const words = need.root_only === null
      ? t(`plan.need.${held}`, { privilege: need.privilege ?? "", path: need.path ?? "" })
      : t("plan.need.root", { why: t(`plan.root.${need.root_only}`) });
    return <span key={`${need.privilege ?? ""} ${need.path ?? ""} ${need.root_only ?? ""}`} className="v block"><Sign name={signs[held]} /><span>{words}</span></span>;
  });
}

/** What keeps a step from undoing a change of somebody else. */
function GuardWords({ step: { guard, guard_digest: digest, vmid } }: { step: PlanStep }) {
  const { t } = useWords();
  const known = digest === null ? "" : ".known";
  const short = digest === null ? "" : `${digest.slice(0, 8)}…`;
  if (guard === "file_digest") return t(`plan.guard.file_digest${known}`, { digest: short });
  if (guard === "vm_digest") return t(`plan.guard.vm_digest${known}`, { digest: short, vmid });
  return t(`plan.guard.${guard}`);
}
