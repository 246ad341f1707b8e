import { useMemo } from "react";
import { useWords } from "../../i18n/words";
import { mergeFindings } from "../../domain/findings";
import type { Mappings } from "../../domain/mapping";
import { LongFindingList } from "../findings/list";
import { NoFindings } from "../findings/none";
import { FindingsScope, provenBy } from "../findings/scope";
import { ListState } from "./list-state";

/** All findings about mappings, the worst first. */
export function MappingFindings({ told, many }: { told: readonly Mappings[]; many: boolean }) {
  const { t } = useWords();
  const findings = useMemo(() => mergeFindings(told.map((one) => one.findings.map((finding) => ({ cluster: one.cluster, ...finding })))), [told]);
  const listed = (one: Mappings) => one.mappings !== null && one.scope === "proven" && one.read === "ok";
  return (
    <>
      {told.map((one) => <FindingsScope key={one.cluster} cluster={one.cluster} nodes={one.scopes} named={many} />)}
      {told.map((one) => !listed(one) && <ListState key={one.cluster} told={one} />)}
      {findings.length > 0
        ? <LongFindingList findings={findings} manyClusters={many} />
        : <NoFindings title={t("mapping.no_findings_all")} proven={told.every((one) => listed(one) && provenBy(one.cluster, one.scopes))} />}
    </>
  );
}
