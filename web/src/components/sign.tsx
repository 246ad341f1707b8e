import { useTranslation } from "react-i18next";
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

/** The sign and the word of a state; never one without the other. */
export function StateWord({ state }: { state: DeviceState }) {
  const { t } = useTranslation();
  const { sign, look } = stateLooks[state];
  return (
    <span className={`state ${look}`}>
      <Sign name={sign} />
      <span>{t(`state.${state}`)}</span>
    </span>
  );
}

/** The sign of a severity. Its word is said to those who do not see it. */
export function SeveritySign({ severity }: { severity: Severity }) {
  const { t } = useTranslation();
  return (
    <span className={`is-${severity}`}>
      <Sign name={`v-${severity}`} label={t(`severity.${severity}`)} />
    </span>
  );
}
