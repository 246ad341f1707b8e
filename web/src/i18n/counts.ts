import type { FormatterModule } from "i18next";
import { formatNumber } from "../domain/format";

// Any other number in a message names something: a VMID, a line or a group has no separators.
const counts = new Set(["count", "checked", "answered", "read", "used", "n", "created", "changed", "removed", "seconds", "d"]);

/** Writes each value of a message that says how many in the figures of the language. */
export const countFormatter: FormatterModule = {
  type: "formatter",
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _format, language, options) => {
    const name: unknown = options?.["interpolationkey"];
    return typeof value === "number" && typeof name === "string" && counts.has(name) ? formatNumber(value, language ?? "en") : value as string;
  },
};
