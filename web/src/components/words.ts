import { useTranslation } from "react-i18next";
import type { Issue } from "../domain/inventory";
import type { Finding } from "../domain/finding";
import type { Reason } from "../domain/scope";
import type { components } from "../api/schema";

type Review = components["schemas"]["AnswerReview"];

/** The sentence of a finding: translated by code, or else the server's own. */
export function useFindingText(): (finding: Omit<Finding, "cluster">) => string {
  const { t, i18n } = useTranslation();
  return (finding) => {
    const key = `finding.${finding.code}`;
    return i18n.exists(key) ? t(key, finding.params ?? {}) : finding.sentence;
  };
}

/** The sentence of an issue, or of a reason to look at a device; in English the server's, which knows the particulars. */
export function useIssueText(): (issue: Issue | (Review & { node: string })) => string {
  const { t, i18n } = useTranslation();
  return (issue) => {
    const code = "code" in issue ? issue.code : (issue.issue ?? "candidate");
    const { node, vmid, slot, mapping } = issue;
    const any = `issue.${code}.any`;
    const key = vmid === null && i18n.exists(any) ? any : `issue.${code}`;
    return i18n.exists(key) ? t(key, { node, vmid: vmid ?? "", slot: slot ?? "", mapping: mapping ?? "" }) : issue.message;
  };
}

/** A few words on why a check is incomplete. */
export function useReasonText(): (reason: Reason) => string {
  const { t } = useTranslation();
  return ({ code, cluster, node, vmid, count }) =>
    vmid !== 0 ? t(`reason.vm.${code}`, { vm: vmid, node }) : t(`reason.${code}`, { cluster, node, count });
}

/** Puts names together as the language does. */
export function useList(): (names: readonly string[]) => string {
  const { i18n } = useTranslation();
  return (names) => new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(names);
}
