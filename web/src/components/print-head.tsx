import { useSearch } from "@tanstack/react-router";
import { useWords } from "../i18n/words";
import { formatDateTime } from "../domain/format";
import { useClusterNames } from "./clusters";
import { useReading } from "./reading";

/** On paper alone: what this is, of which cluster and of when, and what was filtered. A page that says more has its own in front. */
export function PrintHead({ title }: { title: string }) {
  const { t, i18n } = useWords();
  const readAt = useReading()?.readAt ?? null;
  const clusters = useClusterNames() ?? [];
  const { node, q, state, severity, code, via } = useSearch({ strict: false });
  const filters = [node, state, severity, code, via, q === undefined ? undefined : t("gpu.print_search", { text: q })].filter((part) => part !== undefined && part !== "");
  const parts = [
    ...(readAt === null ? [] : [clusters.join(", "), t("gpu.print_read", { time: formatDateTime(new Date(readAt), i18n.language) })]),
    ...filters,
  ];
  return <div className="printhead"><b>pciatlas · {title}</b>{parts.map((part) => ` · ${String(part)}`)}</div>;
}
