import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { isolated } from "../domain/bidi";
import { unknownWord } from "../domain/unknown";
import { countFormatter } from "./counts";
import type { Messages } from "./merge";

/** The languages, each with its own name and the short one of the header. */
export const locales = {
  en: { name: "English", short: "EN" },
  "zh-CN": { name: "简体中文", short: "中文" },
  ru: { name: "Русский", short: "RU" },
} as const;

export type Locale = keyof typeof locales;

const loaders: Record<Locale, () => Promise<{ default: Messages }>> = {
  en: () => import("./en"),
  "zh-CN": () => import("./zh-CN"),
  ru: () => import("./ru"),
};

const storageKey = "pciatlas.language";

function isLocale(value: string | null): value is Locale {
  return value !== null && Object.hasOwn(locales, value);
}

/** Finds the language of somebody who speaks these, best first. */
export function chooseLocale(stored: string | null, spoken: readonly string[]): Locale {
  if (isLocale(stored)) return stored;
  for (const language of spoken) {
    const short = language.toLowerCase().split("-")[0];
    if (short === "zh") return "zh-CN";
    if (short === "en" || short === "ru") return short;
  }
  return "en";
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null; // Storage is switched off.
  }
}

async function load(locale: Locale): Promise<void> {
  if (i18next.hasResourceBundle(locale, "translation")) return;
  i18next.addResourceBundle(locale, "translation", (await loaders[locale]()).default);
}

/** Loads the language of the reader, and no other. */
export async function startLanguage(): Promise<void> {
  const locale = chooseLocale(stored(), navigator.languages);
  await i18next.use(initReactI18next).use(countFormatter).init({
    lng: locale,
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes markup; what is filled in must not turn a sentence round either.
    interpolation: { escapeValue: true, escape: isolated, alwaysFormat: true },
    react: { useSuspense: false },
    // Words of a newer server, like a state or a reason, are told as they are.
    parseMissingKeyHandler: (key) => {
      const unknown = unknownWord(key);
      return key === unknown.key ? key : i18next.t(unknown.key, unknown.params);
    },
    resources: {},
  });
  await load(locale);
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
}

/** Switches to a language and remembers it. */
export async function setLanguage(locale: Locale): Promise<void> {
  await load(locale);
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
  try {
    localStorage.setItem(storageKey, locale);
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
}

/** The language that is shown now. */
export function currentLocale(): Locale {
  return isLocale(i18next.language) ? i18next.language : "en";
}
