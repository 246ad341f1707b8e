import type { Locale } from "./index";
import type { Messages } from "./merge";

// These texts are long and rarely read: they are a chunk of their own, which nobody loads with the page.
const loaders: Record<Locale, () => Promise<{ default: Messages }>> = {
  en: () => Promise.resolve({ default: {} }),
  "zh-CN": () => import("./zh-CN/finding-about"),
  ru: () => import("./ru/finding-about"),
};

/** What the codes of findings mean, in a language. English has none: there the server's own texts are shown. */
export async function loadAbout(locale: Locale): Promise<Messages> {
  return (await loaders[locale]()).default;
}
