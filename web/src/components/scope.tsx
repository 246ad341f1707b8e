import type { ReactNode } from "react";
import { useWords } from "../i18n/words";
import { Sign } from "./sign";

export interface Scope {
  checked: number;
  /** null: not told how many there are. */
  visible: number | null;
  /** The token is known to see every VM. */
  full: boolean;
  complete: boolean;
}

interface ScopeLineProps {
  scope: Scope;
  /** Why it is incomplete, each a link to what says more. */
  reasons?: readonly { key: string; link: ReactNode }[];
  /** Stands at the end of the line. */
  end?: ReactNode;
}

/** How much was checked, directly above what it speaks about. Links in it have the class `why`. */
export function ScopeLine({ scope, reasons = [], end }: ScopeLineProps) {
  const { t } = useWords();
  const { checked, visible, full, complete } = scope;
  const sentence = visible === null ? t("scope.unknown", { checked }) : t("scope.checked", { checked, count: visible });
  return (
    <div className={complete ? "scope num" : "scope incomplete num"} role="status">
      {!complete && <span className="is-review"><Sign name="s-review" /></span>}
      <span className="nw">{sentence}{complete && !full && t("scope.as_far")}</span>
      {!complete && reasons.length > 0 && <span className="nw">{t("scope.incomplete")}</span>}
      {!complete && reasons.length === 0 && <span className="nw">{t("scope.incomplete_alone")}</span>}
      {reasons.map((reason) => <span key={reason.key}>{reason.link}</span>)}
      {end !== undefined && <span className="end">{end}</span>}
    </div>
  );
}
