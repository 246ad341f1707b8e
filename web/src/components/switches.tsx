import { IconChevronDown, IconSun } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { currentLocale, locales, setLanguage, type Locale } from "../i18n";
import { setTheme, themes, useTheme } from "../theme";
import { Icon } from "./icon";
import { Menu } from "./menu";

const names = Object.keys(locales) as Locale[];

/** The language of the console. */
export function LanguageMenu() {
  const { t } = useWords();
  const now = currentLocale();
  return (
    <Menu
      label={t("frame.language", { name: locales[now].name })}
      button={<><span>{locales[now].short}</span><Icon of={IconChevronDown} /></>}
      items={names.map((locale) => ({
        key: locale,
        label: <span lang={locale}>{locales[locale].name}</span>,
        checked: locale === now,
        onSelect: () => { void setLanguage(locale); },
      }))}
    />
  );
}

/** Light, dark, or what the system says. */
export function ThemeMenu() {
  const { t } = useWords();
  const now = useTheme();
  return (
    <Menu
      label={t("frame.theme", { name: t(`theme.${now}`) })}
      className="btn plain icon"
      button={<Icon of={IconSun} />}
      items={themes.map((theme) => ({
        key: theme,
        label: t(`theme.${theme}`),
        checked: theme === now,
        onSelect: () => { setTheme(theme); },
      }))}
    />
  );
}
