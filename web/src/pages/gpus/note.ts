import { useWords } from "../../i18n/words";

/** A finding in at most five words; its code if there are none for it. */
export function useNoteText(): (code: string) => string {
  const { t, i18n } = useWords();
  return (code) => {
    const key = `finding.title.${code}`;
    return i18n.exists(key) ? t(key) : code;
  };
}
