import { Fragment, useId } from "react";
import { IconDownload, IconRefresh } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useClusters } from "../../api/clusters";
import { ApiError } from "../../api/problem";
import { download } from "../../components/download";
import { Field } from "../../components/field";
import { Icon } from "../../components/icon";
import { FormFault } from "../../components/problem";
import { useList } from "../../components/words";
import { writingSteps, type Plan, type Way } from "../../domain/plan";
import type { Choice } from "./choice";
import { Named } from "./named";
import { useWhere } from "./title";

interface HowProps {
  plan: Plan;
  ways: readonly Way[];
  way: Way;
  /** The role of the reader lets him apply plans. */
  allowed: boolean;
  choice: Choice;
  onChoice: (choice: Choice) => void;
  busy: boolean;
  error: unknown;
  onAgain: () => void;
}

/** The ways to do it, and what each needs. Without the right to apply, the commands alone. */
export function How({ plan, ways, way, allowed, choice, onChoice, busy, error, onAgain }: HowProps) {
  const { t } = useWords();
  return (
    <fieldset className="how" disabled={busy}>
      <legend>{t("plan.how")}</legend>
      {error != null && <Fault error={error} onAgain={onAgain} />}
      {ways.map((one) => (
        <Fragment key={one}>
          <label className="opt">
            {ways.length > 1 ? <input type="radio" name="way" checked={one === way} onChange={() => { onChoice({ ...choice, way: one, password: "", otp: "" }); }} /> : <span />}
            <WayWords way={one} plan={plan} />
          </label>
          {one === "commands" && way === one && <SaveJson plan={plan} />}
        </Fragment>
      ))}
      {allowed && !plan.changes && <p className="label off">{t("plan.changes_off")}</p>}
      {way === "root" && <RootFields choice={choice} onChoice={onChoice} />}
      {ways.length > 1 && <ConfirmField plan={plan} off={way === "commands"} choice={choice} onChoice={onChoice} />}
    </fieldset>
  );
}

function Fault({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const { t } = useWords();
  const changed = error instanceof ApiError && (error.code === "plan_changed" || error.code === "plan_stopped");
  return (
    <div className="planfault">
      <FormFault error={error} changes />
      {changed && <button type="button" className="btn" onClick={onAgain}><Icon of={IconRefresh} />{t("plan.again")}</button>}
    </div>
  );
}

function WayWords({ way, plan }: { way: Way; plan: Plan }) {
  const { t } = useWords();
  const list = useList();
  const where = useWhere()(plan);
  const { data: clusters } = useClusters();
  const token = clusters?.find(({ name }) => name === plan.cluster)?.token_id;
  const steps = { count: plan.writes, steps: list(writingSteps(plan.steps)) };
  switch (way) {
    case "commands": return <span><b>{t("plan.way.commands", { where })}</b><span className="label">{t("plan.way.commands_hint")}</span></span>;
    case "token": return (
      <span>
        <b>{t("plan.way.token", steps)}</b>
        <span className="label">{token !== undefined && <><span className="mono">{token}</span> · </>}{t(plan.may === true ? "plan.way.token_hint" : "plan.way.token_untold")}</span>
      </span>
    );
    case "root": return <span><b>{t("plan.way.root", steps)}</b><span className="label">{t("plan.way.root_hint")}</span></span>;
  }
}

function SaveJson({ plan }: { plan: Plan }) {
  const { t } = useWords();
  const save = () => { download(`plan-${plan.cluster}-${plan.digest.slice(0, 8)}.json`, "application/json", `${JSON.stringify(plan, null, 2)}\n`); };
  return <button type="button" className="btn small" onClick={save}><Icon of={IconDownload} />{t("plan.save_json")}</button>;
}

/** Asked for each time: neither is kept anywhere. */
function RootFields({ choice, onChoice }: Pick<HowProps, "choice" | "onChoice">) {
  const { t } = useWords();
  return (
    <div className="rootfields">
      <input className="sr" tabIndex={-1} aria-hidden type="text" autoComplete="off" value="root@pam" readOnly />
      <Field label={t("plan.password")} type="password" autoComplete="off" maxLength={256} value={choice.password} onChange={(event) => { onChoice({ ...choice, password: event.target.value }); }} />
      <Field label={t("plan.otp")} inputMode="numeric" autoComplete="one-time-code" maxLength={32} hint={t("plan.otp_hint")} value={choice.otp} onChange={(event) => { onChoice({ ...choice, otp: event.target.value }); }} />
    </div>
  );
}

function ConfirmField({ plan, off, choice, onChoice }: Pick<HowProps, "plan" | "choice" | "onChoice"> & { off: boolean }) {
  const { t } = useWords();
  const id = useId();
  return (
    <div className="confirm">
      <label htmlFor={id}><Named text={t("plan.type_name", { name: plan.confirm })} names={[plan.confirm]} /></label>
      <span className={off ? "field off" : "field"}>
        <input id={id} disabled={off} autoComplete="off" autoCapitalize="none" spellCheck={false} value={off ? "" : choice.confirm} onChange={(event) => { onChoice({ ...choice, confirm: event.target.value }); }} />
      </span>
    </div>
  );
}
