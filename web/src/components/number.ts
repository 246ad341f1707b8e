import { useWords } from "../i18n/words";
import { formatNumber } from "../domain/format";

/** Writes how many there are, where no sentence says it. */
export function useNumber(): (count: number) => string {
  const { i18n } = useWords();
  return (count) => formatNumber(count, i18n.language);
}
