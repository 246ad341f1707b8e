import { useWords } from "../../i18n/words";
import { Check } from "../../components/form";
import { Raw } from "../../components/copy";
import { SeveritySign } from "../../components/sign";
import { canForce, furtherFindings, noteSeverity, type Plan, type PlanNote } from "../../domain/plan";
import { splitRemedy } from "../../domain/finding";

interface NotesProps {
  plan: Plan;
  force: boolean;
  onForce: (force: boolean) => void;
}

/** What is to be known before: what stops the plan, what is risked with it, and what is found. */
export function Notes({ plan, force, onForce }: NotesProps) {
  const { t } = useWords();
  const text = useNoteText();
  const finding = useFindingText();
  const findings = furtherFindings(plan);
  if (plan.notes.length + findings.length === 0) return null;
  return (
    <section className="plannotes" aria-label={t("plan.notes")}>
      {plan.stopped && <p className="strong">{t(plan.notes.every(({ code }) => code === "nothing_to_do") ? "plan.nothing" : "plan.stopped")}</p>}
      <ul className="why">
        {plan.notes.map((note, at) => (
          <li key={at}><SeveritySign severity={noteSeverity(note)} /><span><span className="words">{text(note)}</span>{note.forceable && !note.stops && <span className="label">{t("plan.forced")}</span>}</span></li>
        ))}
        {findings.map((one, at) => (
          <li key={`finding ${at}`}>
            <SeveritySign severity={one.severity === "error" ? "error" : "warning"} />
            <div><p className="words">{finding(one)}</p>{one.remedy.map((line) => <Remedy key={line} line={line} />)}</div>
          </li>
        ))}
      </ul>
      {canForce(plan) && <Check label={t("plan.force")} hint={t("plan.force_hint")} checked={force} onChange={onForce} />}
    </section>
  );
}

function Remedy({ line }: { line: string }) {
  const { words, command } = splitRemedy(line);
  return <>{words !== "" && <p className="label" lang="en">{words}</p>}{command !== "" && <Raw text={command} />}</>;
}

/** The sentence of a note by its code; in English, and where there is none, the server's own. */
function useNoteText(): (note: PlanNote) => string {
  const { t, i18n } = useWords();
  return ({ code, params, sentence }) => {
    const key = `plan.says.${code}`;
    const values = { ...params, count: Number(params["count"] ?? 0) };
    return i18n.exists(key, values) ? t(key, values) : sentence;
  };
}

/** The same for the findings that only plans have. */
function useFindingText(): (finding: Plan["findings"][number]) => string {
  const { t, i18n } = useWords();
  return ({ code, params, sentence }) => {
    const verb = params["verb"];
    const key = verb === undefined ? `plan.says.finding.${code}` : `plan.says.finding.${code}.${verb}`;
    return i18n.exists(key) ? t(key, params) : sentence;
  };
}
