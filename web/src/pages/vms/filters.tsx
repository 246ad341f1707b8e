import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { Select } from "../../components/field";
import { SearchField } from "../../components/search";
import type { NodeRead } from "../../domain/vm";

const ways = ["address", "mapping"] as const;

interface VMFiltersProps {
  nodes: readonly NodeRead[];
  /** What is searched for, as it is typed. */
  text: string;
  onText: (text: string) => void;
}

/** What of the list is shown. */
export function VMFilters({ nodes, text, onText }: VMFiltersProps) {
  const { t } = useWords();
  const navigate = useNavigate();
  const { node = "", via } = useSearch({ from: "/frame/vms" });
  const set = (part: Record<string, string | undefined>) => { void navigate({ to: ".", search: (old) => ({ ...old, ...part }), replace: true }); };
  const names = [...new Set([...nodes.map((one) => one.node), ...(node === "" ? [] : [node])])].sort();
  return (
    <div className="filters">
      <SearchField label={t("vm.search")} value={text} onChange={onText} />
      <Select label={t("vm.node")} value={node} choices={[{ value: "", label: t("list.all_nodes") }, ...names.map((name) => ({ value: name, label: name }))]} onChange={(value) => { set({ node: value || undefined }); }} />
      <div className="seg" role="group" aria-label={t("vm.via")}>
        <button type="button" className="btn" aria-pressed={via === undefined} onClick={() => { set({ via: undefined }); }}>{t("vm.via_all")}</button>
        {ways.map((way) => <button key={way} type="button" className="btn" aria-pressed={via === way} onClick={() => { set({ via: way }); }}>{t(`vm.via_${way}`)}</button>)}
      </div>
    </div>
  );
}
