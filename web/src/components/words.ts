import { useWords } from "../i18n/words";
import { isolated } from "../domain/bidi";
import type { Issue } from "../domain/inventory";
import type { Finding } from "../domain/finding";
import { findingKeys, hasValues, sayParams } from "../domain/finding-words";
import type { Reason } from "../domain/scope";
import type { components } from "../api/schema";
import { useAllClusters } from "./cluster";

type Review = components["schemas"]["AnswerReview"];

export interface FindingText {
  text: string;
  /** Of the server's own sentence; undefined for one of the reader's language. */
  lang: "en" | undefined;
}

/** The sentence of a finding: by code, variant and what follows, or else, and in English always, the server's own. */
export function useFindingText(): (finding: Omit<Finding, "cluster">) => FindingText {
  const { t, i18n } = useWords();
  return (finding) => {
    const keys = findingKeys(finding);
    const known = keys.every((key) => i18n.exists(key) && hasValues(t(key, { skipInterpolation: true }), finding.params));
    if (!known) return { text: finding.sentence, lang: "en" };
    const values = sayParams(finding.params, i18n.language, (count) => t("findings.list_more", { count }));
    const sentences = keys.map((key) => t(key, values));
    return { text: sentences.join(i18n.language.startsWith("zh") ? "" : " "), lang: undefined };
  };
}

/** The sentence of an issue, or of a reason to look at a device; in English the server's, which knows the particulars. */
export function useIssueText(): (issue: Issue | (Review & { node: string })) => string {
  const { t, i18n } = useWords();
  return (issue) => {
    const code = "code" in issue ? issue.code : (issue.issue ?? "candidate");
    const { node, vmid, slot, mapping } = issue;
    const any = `issue.${code}.any`;
    const key = vmid === null && i18n.exists(any) ? any : `issue.${code}`;
    return i18n.exists(key) ? t(key, { node, vmid: vmid ?? "", slot: slot ?? "", mapping: mapping ?? "" }) : issue.message;
  };
}

/** A few words on why a check is incomplete; of which cluster, where all are shown. */
export function useReasonText(): (reason: Reason) => string {
  const { t } = useWords();
  const all = useAllClusters();
  return ({ code, cluster, node, vmid, count }) => {
    const words = vmid !== 0 ? t(`reason.vm.${code}`, { vm: vmid, node }) : t(`reason.${code}`, { cluster, node, count });
    return all && code !== "nodes_unknown" ? `${isolated(cluster)}: ${words}` : words;
  };
}

/** Puts names together as the language does. */
export function useList(): (names: readonly string[]) => string {
  const { i18n } = useWords();
  return (names) => new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(names);
}
