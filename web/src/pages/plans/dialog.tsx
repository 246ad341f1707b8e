import { useEffect, useId, useState, type ReactNode, type SyntheticEvent } from "react";
import { useWords } from "../../i18n/words";
import { useApplyPlan, usePlan } from "../../api/plans";
import { isOutcomeUnknown } from "../../api/problem";
import { useMay } from "../../api/session";
import { Dialog } from "../../components/dialog";
import { Bar, Failed } from "../../components/states";
import { firstWay, waysOf, type Intent, type Plan, type Way } from "../../domain/plan";
import { emptyChoice, type Choice } from "./choice";
import { ApplyFoot, ClosingFoot, PlanFoot } from "./foot";
import { How } from "./how";
import { Lost, Result } from "./result";
import { PlanSub, usePlanTitle } from "./title";
import { PlanView } from "./view";

export interface PlanDialogProps {
  cluster: string;
  intent: Intent;
  onClose: () => void;
  /** Leads back to the form that the intent comes from. */
  onBack?: () => void;
}

/** The plan of an intent, the ways to do it, and what came of it: always in this order. Nothing is sent before somebody confirms it. */
export function PlanDialog({ cluster, intent, onClose, onBack }: PlanDialogProps) {
  const [force, setForce] = useState(intent.force ?? false);
  const plan = usePlan(cluster, { ...intent, ...(force ? { force } : {}) });
  const title = usePlanTitle()(intent);
  const application = useApplyPlan(cluster);
  const [choice, setChoice] = useState<Choice>(emptyChoice);
  const [leaving, setLeaving] = useState(false);
  useStay(application.isPending);
  const again = () => {
    application.reset();
    setChoice(emptyChoice);
    setLeaving(false);
    void plan.refetch();
  };
  const close = () => {
    if (application.isPending && !leaving) setLeaving(true);
    else onClose();
  };
  const { data: told } = plan;
  const fresh = !plan.isFetching && !plan.isPlaceholderData;
  return (
    <Dialog title={title} sub={told && (fresh || plan.isPlaceholderData) ? <PlanSub plan={told} /> : <SubLine />} onClose={close}>
      {application.data && <Result applied={application.data} onAgain={again} onClose={onClose} />}
      {isOutcomeUnknown(application.error) && <Lost error={application.error} onAgain={again} onClose={onClose} />}
      {!application.data && !isOutcomeUnknown(application.error) && (
        <Body query={plan} onClose={onClose} onBack={onBack}>
          {(shown) => (
            <Seen
              plan={shown} busy={!fresh} force={force} onForce={setForce} choice={choice} onChoice={setChoice} application={application}
              leaving={leaving} onStay={() => { setLeaving(false); }} onAgain={again} onClose={onClose} onBack={onBack}
            />
          )}
        </Body>
      )}
    </Dialog>
  );
}

/** While something is being applied, the browser asks before it leaves the page. */
function useStay(busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => { event.preventDefault(); };
    window.addEventListener("beforeunload", ask);
    return () => { window.removeEventListener("beforeunload", ask); };
  }, [busy]);
}

function SubLine() {
  const { t } = useWords();
  return <>{t("plan.making")}</>;
}

interface BodyProps {
  query: ReturnType<typeof usePlan>;
  onClose: () => void;
  onBack: (() => void) | undefined;
  children: (plan: Plan) => ReactNode;
}

/** The plan, or that it is being made, or why it could not be. */
function Body({ query, onClose, onBack, children }: BodyProps) {
  const waits = query.isFetching && !query.isPlaceholderData;
  if (!waits && !query.error && query.data) return children(query.data);
  return (
    <>
      <div className="dlb" aria-busy={waits}>
        {waits ? <Skeleton /> : <Failed error={query.error} onRetry={() => { void query.refetch(); }} />}
      </div>
      <ClosingFoot onClose={onClose} onBack={onBack} />
    </>
  );
}

function Skeleton() {
  return (
    <>
      <div className="diff">{[280, 320, 240].map((width) => <p key={width}><Bar width={width} /></p>)}</div>
      <ol className="steps">
        {[1, 2].map((number) => (
          <li key={number} className="step"><span className="no"><Bar width={8} /></span><div className="planwait"><Bar width={200} /><Bar width={320} /><Bar width={240} /></div></li>
        ))}
      </ol>
    </>
  );
}

interface SeenProps {
  plan: Plan;
  /** Another plan is on its way: this one cannot be applied any more. */
  busy: boolean;
  force: boolean;
  onForce: (force: boolean) => void;
  choice: Choice;
  onChoice: (choice: Choice) => void;
  application: ReturnType<typeof useApplyPlan>;
  leaving: boolean;
  onStay: () => void;
  onAgain: () => void;
  onClose: () => void;
  onBack: (() => void) | undefined;
}

/** A plan that can be read, and done if it may be. */
function Seen({ plan, busy, force, onForce, choice, onChoice, application, leaving, onStay, onAgain, onClose, onBack }: SeenProps) {
  const allowed = useMay("operator");
  const form = useId();
  const ways = waysOf(plan, allowed);
  const chosen = choice.way !== null && ways.includes(choice.way) ? choice.way : firstWay(plan, ways);
  const ready = isReady(plan, chosen, choice) && !busy && !application.isPending;
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!ready) return;
    const { password, otp, confirm } = choice;
    onChoice({ ...choice, password: "", otp: "" });
    application.apply(
      { intent: plan.intent, digest: plan.digest, confirm },
      chosen === "root" ? { user: "root@pam", password, ...(otp.trim() === "" ? {} : { otp: otp.trim() }) } : undefined,
    );
  };
  return (
    <>
      <div className="dlb planned" aria-busy={busy}>
        <PlanView plan={plan} force={force} onForce={onForce} />
        {!plan.stopped && (
          <form id={form} onSubmit={send}>
            <How plan={plan} ways={ways} way={chosen} allowed={allowed} choice={choice} onChoice={onChoice} busy={application.isPending} error={application.error} onAgain={onAgain} />
          </form>
        )}
      </div>
      {plan.stopped && <ClosingFoot onClose={onClose} onBack={onBack} />}
      {!plan.stopped && (application.isPending
        ? <ApplyFoot leaving={leaving} onStay={onStay} onClose={onClose} />
        : <PlanFoot plan={plan} way={chosen} mayApply={ways.length > 1} ready={ready} form={form} onClose={onClose} onBack={onBack} />)}
    </>
  );
}

/** Whether all that has to be done on this screen is done. */
function isReady(plan: Plan, way: Way, { confirm, password }: Choice): boolean {
  return way !== "commands" && confirm === plan.confirm && (way === "token" || password !== "");
}
