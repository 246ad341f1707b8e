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
  const words = useMemo(() => ({ t: remembered(t), i18n }), [t, i18n]);
  return <WordsContext value={words}>{children}</WordsContext>;
}

/** The same words, but what has no numbers or names in it is looked up once: a long list asks thousands of times. */
function remembered(t: TFunction): TFunction {
  const known = new Map<unknown, unknown>();
  const say = (key: string, params?: Record<string, unknown>): unknown => {
    if (params !== undefined) return t(key, params);
    if (!known.has(key)) known.set(key, t(key));
    return known.get(key);
  };
  return say as TFunction;
}

/** The words of the reader's language; a part that uses them is drawn anew in another one. */
export function useWords(): Words {
  return use(WordsContext);
}
