import { useWords } from "../../i18n/words";
import { CopyButton } from "../../components/copy";
import type { Plan, Way } from "../../domain/plan";

interface FootProps {
  onClose: () => void;
  onBack: (() => void) | undefined;
}

function Back({ onBack }: Pick<FootProps, "onBack">) {
  const { t } = useWords();
  return onBack ? <button type="button" className="btn" onClick={onBack}>{t("plan.back_to_form")}</button> : null;
}

/** Nothing can be done here but to close it, or to go back. */
export function ClosingFoot({ onClose, onBack }: FootProps) {
  const { t } = useWords();
  return <div className="dlf"><span className="acts"><Back onBack={onBack} /><button type="button" className="btn" onClick={onClose}>{t("frame.close")}</button></span></div>;
}

interface PlanFootProps extends FootProps {
  plan: Plan;
  way: Way;
  /** There is another way than the commands. */
  mayApply: boolean;
  ready: boolean;
  /** The id of the form that applies. */
  form: string;
}

/** The button that works with the present rights is the primary one. */
export function PlanFoot({ plan, way, mayApply, ready, form, onClose, onBack }: PlanFootProps) {
  const { t } = useWords();
  return (
    <div className="dlf">
      <span className="label">{mayApply && t("plan.stops_at")}</span>
      <span className="acts">
        <Back onBack={onBack} />
        <button type="button" className="btn" onClick={onClose}>{t("frame.cancel")}</button>
        {mayApply && <button type="submit" form={form} className={way === "commands" ? "btn" : "btn primary"} disabled={!ready}>{t("plan.apply", { count: plan.writes })}</button>}
        <CopyButton text={plan.commands.trimEnd()} look={way === "commands" ? "btn primary" : "btn"}>{t("plan.copy_commands")}</CopyButton>
      </span>
    </div>
  );
}

/** While it is being applied: whoever leaves does not stop it. */
export function ApplyFoot({ leaving, onStay, onClose }: { leaving: boolean; onStay: () => void; onClose: () => void }) {
  const { t } = useWords();
  if (!leaving) return <div className="dlf"><span className="label" role="status">{t("plan.applying")}</span></div>;
  return (
    <div className="dlf">
      <span className="label" role="alert">{t("plan.leaving")}</span>
      <span className="acts">
        <button type="button" className="btn" onClick={onClose}>{t("plan.leave")}</button>
        <button type="button" className="btn primary" onClick={onStay}>{t("plan.stay")}</button>
      </span>
    </div>
  );
}
