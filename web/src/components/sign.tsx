import { useWords } from "../i18n/words";
import type { Schemas } from "../api/client";
import { signs, type SignName } from "./signs";

interface SignProps {
  name: SignName;
  /** What it says to those who do not see it; without, it is silent because a word stands beside it. */
  label?: string;
}

/** One sign in the colour of its text. */
export function Sign({ name, label }: SignProps) {
  const [edge, drawing] = signs[name];
  const speech = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return (
    <svg className={edge === 12 ? "m" : "s"} viewBox={`0 0 ${edge} ${edge}`} {...speech}>
      {drawing}
    </svg>
  );
}

export type DeviceState = Schemas["AnswerDevice"]["state"];
export type Severity = Schemas["Finding"]["severity"];

/** Of each state, the sign and the class that colours it. */
export const stateLooks = {
  referenced: { sign: "s-referenced", look: "is-referenced", tile: "referenced" },
  multi_referenced: { sign: "s-multi", look: "is-multi", tile: "multi" },
  unreferenced: { sign: "s-unreferenced", look: "is-unreferenced", tile: "unreferenced" },
  needs_review: { sign: "s-review", look: "is-review", tile: "review" },
} as const satisfies Record<DeviceState, { sign: SignName; look: string; tile: string }>;

// A newer server may have states that this console does not know.
const unknownLook = { sign: "s-review", look: "is-review", tile: "review" } as const;

/** The looks of a state. One that is not known looks as if it needed review; its word says what it is. */
export function lookOf(state: DeviceState): (typeof stateLooks)[DeviceState] {
  return Object.hasOwn(stateLooks, state) ? stateLooks[state] : unknownLook;
}

/** The sign and the word of a state; never one without the other. */
export function StateWord({ state }: { state: DeviceState }) {
  const { t } = useWords();
  const { sign, look } = lookOf(state);
  return (
    <span className={`state ${look}`}>
      <Sign name={sign} />
      <span>{t(`state.${state}`)}</span>
    </span>
  );
}

/** The sign of a severity. Its word is said to those who do not see it. */
export function SeveritySign({ severity }: { severity: Severity }) {
  const { t } = useWords();
  // One that a newer server has weighs as much as the worst.
  const look = Object.hasOwn(signs, `v-${severity}`) ? severity : "error";
  return (
    <span className={`is-${look}`}>
      <Sign name={`v-${look}`} label={t(`severity.${severity}`)} />
    </span>
  );
}
