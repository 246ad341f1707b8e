import { useTranslation } from "react-i18next";

/** A finding in at most five words; its code if there are none for it. */
export function useNoteText(): (code: string) => string {
  const { t, i18n } = useTranslation();
  return (code) => {
    const key = `finding.title.${code}`;
    return i18n.exists(key) ? t(key) : code;
  };
}
