import { useQuery } from "@tanstack/react-query";
import { useWords } from "../i18n/words";
import { currentLocale } from "../i18n";
import { loadAbout } from "../i18n/about";

/** When a code is found, what happens otherwise, what to do, and its severity if that depends on the case. */
export type AboutPart = "when" | "why" | "todo" | "severity";

/** What is told about codes in the reader's language; undefined: not yet, or the server's English is all there is. */
export interface FindingAbout {
  part: (part: AboutPart, code: string) => string | undefined;
  family: (title: string) => string | undefined;
}

/** Loads what the codes mean when it is wanted. Until it is there, and if it cannot be had, the server's English is shown. */
export function useFindingAbout(wanted = true): FindingAbout {
  useWords(); // Draws anew in another language.
  const locale = currentLocale();
  const { data } = useQuery({
    queryKey: ["finding-about", locale],
    queryFn: () => loadAbout(locale),
    enabled: wanted,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return {
    part: (part, code) => data?.[`finding.${part}.${code}`],
    family: (title) => data?.[`finding.family.${title}`],
  };
}
