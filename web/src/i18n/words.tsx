import { createContext, use, useMemo, type ReactNode } from "react";
import i18next, { type i18n as Language, type TFunction } from "i18next";
import { useTranslation } from "react-i18next";

interface Words {
  t: TFunction;
  i18n: Language;
}

const WordsContext = createContext<Words>({ t: i18next.t, i18n: i18next });

/** Listens to the language once for all that is drawn below. */
export function WordsProvider({ children }: { children: ReactNode }) {
  const { t, i18n } = useTranslation();
  const words = useMemo(() => ({ t, i18n }), [t, i18n]);
  return <WordsContext value={words}>{children}</WordsContext>;
}

/** What useTranslation gives, for parts that a page holds hundreds of: they do not listen each. */
export function useWords(): Words {
  return use(WordsContext);
}
