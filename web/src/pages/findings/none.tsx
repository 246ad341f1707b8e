import { useWords } from "../../i18n/words";
import { Empty } from "../../components/states";

interface NoFindingsProps {
  /** What there is none of, where it is not findings of every kind. */
  title?: string;
  /** Everything was visible and read; else nothing follows from having none. */
  proven: boolean;
}

/** No findings, and whether that says anything. */
export function NoFindings({ title, proven }: NoFindingsProps) {
  const { t } = useWords();
  return proven
    ? <Empty title={title ?? t("findings.empty")}><p>{t("findings.empty_why")}</p></Empty>
    : <Empty title={title ?? t("findings.empty_unproven")}><p>{t("findings.empty_unproven_why")}</p></Empty>;
}
