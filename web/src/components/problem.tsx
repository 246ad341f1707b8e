import { useWords } from "../i18n/words";
import { ApiError, isOutcomeUnknown, isSignedOut } from "../api/problem";
import { formatTime } from "../domain/format";
import { Sign } from "./sign";

/**
 * The sentence of an error in the reader's language. English takes the server's own
 * sentence, which knows the particulars; other languages take theirs by code.
 */
export function useProblemText(): (error: unknown) => string {
  const { t, i18n } = useWords();
  return (error) => {
    if (!(error instanceof ApiError)) return t("failure.internal");
    const wait = error.retryAfter === null ? "" : ` ${t("failure.wait", { seconds: error.retryAfter })}`;
    return sentence(error) + wait;
  };
  function sentence(error: ApiError): string {
    if (error.code === "misfit") return t("failure.misfit", { place: error.detail });
    const own = `problem.${error.code}`;
    if (i18n.exists(own)) return t(own);
    return error.detail || t("failure.unreadable", { status: error.status });
  }
}

/** The second line of a failure: code, request and time, to quote when asking for help. */
export function ProblemSource({ error }: { error: unknown }) {
  const { t, i18n } = useWords();
  if (!(error instanceof ApiError)) return null;
  const parts = [error.code];
  if (error.requestId) parts.push(t("failure.request", { id: error.requestId }));
  parts.push(t("failure.tried", { time: formatTime(error.at, i18n.language) }));
  return <p className="muted num">{parts.join(" · ")}</p>;
}

/** What the server says about single fields, by field. */
export function fieldFaults(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.fields.map((fault) => [fault.field.replace(/^body\./, ""), fault.message]));
}

interface FormFaultProps {
  error: unknown;
  /** The form changes something: it matters whether that was done. */
  changes?: boolean;
}

/** Why a form was refused, above its fields. What was typed stays. */
export function FormFault({ error, changes = false }: FormFaultProps) {
  const { t } = useWords();
  const text = useProblemText();
  return (
    <p className="err" role="alert">
      <span className="is-error"><Sign name="v-error" label={t("severity.error")} /></span>
      <span>
        {text(error)}{" "}
        {changes && isOutcomeUnknown(error) && <>{t("failure.unsure")} </>}
        {changes && isSignedOut(error) && <><a href="/sign-in" target="_blank" rel="noreferrer">{t("failure.sign_in")}</a> {t("failure.then_send")} </>}
        {error instanceof ApiError && error.requestId !== "" && (
          <span className="muted nw">{t("failure.request", { id: error.requestId })}</span>
        )}
      </span>
    </p>
  );
}
