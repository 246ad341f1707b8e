import { useId } from "react";
import { useWords } from "../../i18n/words";
import { Raw } from "../../components/copy";
import { NotTold } from "../../components/states";
import type { Plan } from "../../domain/plan";
import { Diffs } from "./diff";
import { Notes } from "./notes";
import { Steps } from "./steps";
import { useWhere } from "./title";
import { Users } from "./users";

interface PlanViewProps {
  plan: Plan;
  force: boolean;
  onForce: (force: boolean) => void;
}

/** What a plan changes, what is to be known before, its steps, and the way back. A plan that is stopped has no steps to copy. */
export function PlanView({ plan, force, onForce }: PlanViewProps) {
  return (
    <>
      <Diffs plan={plan} />
      <Users plan={plan} />
      <Notes plan={plan} force={force} onForce={onForce} />
      {!plan.stopped && <Steps steps={plan.steps} />}
      {!plan.stopped && plan.writes > 0 && <WayBack plan={plan} />}
    </>
  );
}

function WayBack({ plan }: { plan: Plan }) {
  const { t } = useWords();
  const id = useId();
  const where = useWhere()(plan);
  const creates = plan.steps.some(({ action }) => action === "create_mapping");
  return (
    <section className="back" aria-labelledby={id}>
      <h3 id={id}>{t("plan.back")}</h3>
      {plan.way_back === "" ? <NotTold>{t("plan.no_way_back")}</NotTold> : (
        <>
          <Raw text={plan.way_back.trimEnd()} label={t("plan.copy_back")} />
          <p className="label">{t("plan.as_root", { where })}{creates && <> {t("plan.delete_safe")}</>}</p>
        </>
      )}
    </section>
  );
}
