import { useWords } from "../i18n/words";
import type { NodeVerdict } from "../domain/placing";
import { Sign } from "./sign";
import type { SignName } from "./signs";

const looks: Readonly<Record<string, readonly [SignName, string]>> = {
  can_start: ["c-ok", "yes"],
  cannot_start: ["c-no", "no"],
};

/** Whether a VM can start on a node: sign and word. What is not known looks like neither. */
export function VerdictWord({ verdict }: { verdict: NodeVerdict["verdict"] }) {
  const { t } = useWords();
  const [sign, look] = looks[verdict] ?? ["c-unknown", "unk"];
  return <span className={`v verdict ${look}`}><Sign name={sign} />{t(`placement.verdict.${verdict}`)}</span>;
}
