import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useNumber } from "../../components/number";
import { SearchField } from "../../components/search";
import { countMappings, type Mappings } from "../../domain/mapping";
import { views, type MappingsSearch } from "./route";

interface ViewSwitchProps {
  told: readonly Mappings[];
  text: string;
  onText: (text: string) => void;
}

/** Matrix, findings or suggestions, and the search in the matrix. */
export function ViewSwitch({ told, text, onText }: ViewSwitchProps) {
  const { t } = useWords();
  const number = useNumber();
  const navigate = useNavigate();
  const { view } = useSearch({ from: "/frame/mappings" });
  const show = (next: MappingsSearch["view"]) => {
    void navigate({ to: ".", search: (old) => ({ cluster: old.cluster, q: old.q, view: next }) });
  };
  const { mappings } = countMappings(told);
  const findings = told.reduce((sum, one) => sum + one.findings.length, 0);
  const count = { matrix: mappings, findings: mappings === null ? null : findings, suggestions: null };
  return (
    <div className="filters">
      <div className="seg" role="group" aria-label={t("mapping.view")}>
        {([undefined, ...views] as const).map((one) => (
          <button key={one ?? "matrix"} type="button" className="btn" aria-pressed={view === one} onClick={() => { if (view !== one) show(one); }}>
            {t(`mapping.view_${one ?? "matrix"}`)} <Count count={told.length === 0 ? null : count[one ?? "matrix"]} write={number} />
          </button>
        ))}
      </div>
      {view === undefined && <SearchField label={t("mapping.search_label")} hint={t("mapping.search")} value={text} onChange={onText} />}
    </div>
  );
}

function Count({ count, write }: { count: number | null; write: (count: number) => string }) {
  return count === null ? null : <span className="n">{write(count)}</span>;
}
