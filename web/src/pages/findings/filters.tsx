import { useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { Select, type Choice } from "../../components/field";
import { useNumber } from "../../components/number";
import { Sign } from "../../components/sign";
import type { Finding } from "../../domain/finding";
import { countByCode, countBySeverity, severities } from "../../domain/findings";
import type { FindingsSearch } from "./route";

interface FindingFiltersProps {
  all: readonly Finding[];
  nodes: readonly string[];
  /** Some cluster has answered; before, nothing is counted. */
  told: boolean;
}

/** What of the findings is shown, with how many there are of each severity and code. */
export function FindingFilters({ all, nodes, told }: FindingFiltersProps) {
  const { t, i18n } = useWords();
  const number = useNumber();
  const navigate = useNavigate();
  const { severity, code = "", node = "" } = useSearch({ from: "/frame/findings" });
  const set = (part: FindingsSearch) => { void navigate({ to: ".", search: (old) => ({ ...old, ...part }), replace: true }); };
  const counts = useMemo(() => countBySeverity(all), [all]);
  const byCode = useMemo(() => countByCode(all), [all]);
  const codes: Choice[] = byCode.map(([value, count]) => {
    const title = `finding.title.${value}`;
    return { value, label: `${i18n.exists(title) ? t(title) : value} (${number(count)})` };
  });
  if (code !== "" && !codes.some(({ value }) => value === code)) codes.push({ value: code, label: code });
  const names = [...new Set([...nodes, ...(node === "" ? [] : [node])])].sort();
  return (
    <div className="filters">
      <div className="seg" role="group" aria-label={t("findings.severity")}>
        <button type="button" className="btn" aria-pressed={severity === undefined} onClick={() => { set({ severity: undefined }); }}>{t("findings.all")} <span className="n">{told ? number(all.length) : "–"}</span></button>
        {severities.map((one) => (
          <button key={one} type="button" className="btn" aria-pressed={severity === one} onClick={() => { set({ severity: one }); }}>
            <span className={`is-${one}`}><Sign name={`v-${one}`} /></span>{t(`severity.${one}`)} <span className="n">{told ? number(counts[one]) : "–"}</span>
          </button>
        ))}
      </div>
      <Select label={t("findings.code")} value={code} choices={[{ value: "", label: t("findings.all_codes") }, ...codes]} onChange={(value) => { set({ code: value || undefined }); }} />
      <Select label={t("vm.node")} value={node} choices={[{ value: "", label: t("list.all_nodes") }, ...names.map((name) => ({ value: name, label: name }))]} onChange={(value) => { set({ node: value || undefined }); }} />
    </div>
  );
}
