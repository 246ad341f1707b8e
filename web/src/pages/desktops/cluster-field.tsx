import { useWords } from "../../i18n/words";
import { ChoiceField } from "../../components/form";

interface ClusterFieldProps {
  clusters: readonly string[];
  value: string;
  onChange: (cluster: string) => void;
}

/** Which of several clusters is meant; nothing where there is one. */
export function ClusterField({ clusters, value, onChange }: ClusterFieldProps) {
  const { t } = useWords();
  if (clusters.length < 2) return null;
  return <ChoiceField label={t("frame.cluster")} value={value} choices={clusters.map((name) => ({ value: name, label: name }))} onChange={onChange} />;
}
