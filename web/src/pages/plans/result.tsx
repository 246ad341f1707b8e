import { useEffect, useRef } from "react";
import { Link } from "@tanstack/react-router";
import { IconRefresh } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { Raw } from "../../components/copy";
import { Icon } from "../../components/icon";
import { ProblemSource } from "../../components/problem";
import { SeveritySign, Sign } from "../../components/sign";
import { isGood, type PlanStep, type StepResult } from "../../domain/plan";
import { StepTitle } from "./steps";

interface EndProps {
  onAgain: () => void;
  onClose: () => void;
}

/** How each step of a plan ended. */
export function Result({ applied, onAgain, onClose }: EndProps & { applied: Schemas["Applied"] }) {
  const { t } = useWords();
  const head = useFocus();
  const { steps } = applied.plan;
  const pending = applied.steps.some((step, at) => step.pending && isGood(step) && steps[at]?.request !== null);
  return (
    <>
      <div className="dlb">
        <p className="strong" tabIndex={-1} ref={head} role="status">{t(applied.ok ? "plan.all_done" : "plan.not_all_done")}</p>
        {pending && <p>{t("plan.pending")}</p>}
        <ol className="steps" aria-label={t("plan.steps")}>
          {steps.map((step, at) => <Ended key={at} number={at + 1} step={step} result={applied.steps[at] ?? notTried} />)}
        </ol>
        {applied.ok && applied.plan.way_back !== "" && <div className="back"><h3>{t("plan.back")}</h3><Raw text={applied.plan.way_back.trimEnd()} label={t("plan.copy_back")} /></div>}
        <p className="after"><AuditLink /></p>
      </div>
      <EndFoot again={!applied.ok} onAgain={onAgain} onClose={onClose} />
    </>
  );
}

const notTried: StepResult = { outcome: "not_tried", problem: null, pve: null, pending: false };

function Ended({ number, step, result }: { number: number; step: PlanStep; result: StepResult }) {
  const { t } = useWords();
  return (
    <li className="step">
      <span className="no num" aria-hidden>{number}</span>
      <div>
        <div className="sh"><StepTitle step={step} /></div>
        <p className="v block ended"><OutcomeSign outcome={result.outcome} /><span><b>{t(`plan.outcome.${result.outcome}`)}</b> <span className="muted">{t(`plan.outcome_says.${result.outcome}`)}</span></span></p>
        {result.pve !== null && <p className="pvesaid"><span className="label">{t("plan.pve_said")}</span> <code className="mono" lang="en">{result.pve}</code></p>}
        {result.pve === null && result.problem !== null && <p className="label" lang="en">{result.problem}</p>}
        {result.outcome === "yours" && <Raw text={step.command} />}
      </div>
    </li>
  );
}

/** The sign of an outcome; one of a newer server looks as if nothing were known. */
function OutcomeSign({ outcome }: { outcome: string }) {
  switch (outcome) {
    case "done": case "already": return <Sign name="c-ok" />;
    case "yours": case "not_tried": return <Sign name="c-missing" />;
    case "changed": case "overtaken": return <SeveritySign severity="warning" />;
    case "refused": case "partly": case "failed": return <SeveritySign severity="error" />;
    default: return <Sign name="c-unknown" />;
  }
}

/** No answer came: what was begun may have been done, and may go on. */
export function Lost({ error, onAgain, onClose }: EndProps & { error: unknown }) {
  const { t } = useWords();
  const head = useFocus();
  return (
    <>
      <div className="dlb">
        <p className="v block" role="alert"><Sign name="c-unknown" /><span><b tabIndex={-1} ref={head}>{t("plan.lost")}</b> {t("plan.lost_says")}</span></p>
        <ProblemSource error={error} />
        <p className="after"><AuditLink /></p>
      </div>
      <EndFoot again onAgain={onAgain} onClose={onClose} />
    </>
  );
}

function AuditLink() {
  const { t } = useWords();
  const audit: string = "/audit";
  return <Link to={audit} search={{ action: "plan.step" }}>{t("plan.audit")}</Link>;
}

function EndFoot({ again, onAgain, onClose }: EndProps & { again: boolean }) {
  const { t } = useWords();
  return (
    <div className="dlf">
      <span className="acts">
        {again && <button type="button" className="btn" onClick={onAgain}><Icon of={IconRefresh} />{t("plan.again")}</button>}
        <button type="button" className="btn primary" onClick={onClose}>{t("frame.close")}</button>
      </span>
    </div>
  );
}

/** The button that had the focus is gone: what came of it has it now. */
function useFocus() {
  const place = useRef<HTMLElement & HTMLParagraphElement>(null);
  useEffect(() => { place.current?.focus(); }, []);
  return place;
}
