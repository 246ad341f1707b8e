import { useWords } from "../i18n/words";
import { hasValues } from "../domain/finding-words";
import { saidKey, sayParts, type Said } from "../domain/placing";
import type { FindingText } from "./words";

/** The sentence of a reason or a reading: by code, or else, and in English always, the server's own. */
export function usePlacingText(area: "placement" | "doctor"): (said: Said) => FindingText {
  const { t, i18n } = useWords();
  const message = (params: Said["params"]) => {
    const any = `issue.${params["issue"] ?? ""}.any`;
    const key = params["issue_vmid"] === undefined && i18n.exists(any) ? any : `issue.${params["issue"] ?? ""}`;
    if (params["issue"] === undefined || !i18n.exists(key)) return {};
    return { message: t(key, { node: params["node"] ?? "", vmid: params["issue_vmid"] ?? "", slot: params["issue_slot"] ?? "", mapping: params["issue_mapping"] ?? "" }) };
  };
  return (said) => {
    const key = saidKey(area, said);
    const params = { ...said.params, ...message(said.params) };
    if (!i18n.exists(key) || !hasValues(t(key, { skipInterpolation: true }), params)) return { text: said.sentence, lang: "en" };
    return { text: t(key, sayParts(params, i18n.language, (count) => t("findings.list_more", { count }))), lang: undefined };
  };
}
