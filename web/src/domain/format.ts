// Making one takes a hundred times as long as using it.
const numbers = new Map<string, Intl.NumberFormat>();
const clocks = new Map<string, Intl.DateTimeFormat>();
const calendars = new Map<string, Intl.DateTimeFormat>();

/** A number in the figures of a language. */
export function formatNumber(value: number, locale: string): string {
  const known = numbers.get(locale) ?? new Intl.NumberFormat(locale);
  numbers.set(locale, known);
  return known.format(value);
}

/** A time of day, to the second, in the zone of the reader. */
export function formatTime(time: Date, locale: string): string {
  const known = clocks.get(locale) ?? new Intl.DateTimeFormat(locale, { timeStyle: "medium", hourCycle: "h23" });
  clocks.set(locale, known);
  return known.format(time);
}

/** A day and time, to the second, in the zone of the reader. */
export function formatDateTime(time: Date, locale: string): string {
  const known = calendars.get(locale) ?? new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
  calendars.set(locale, known);
  return known.format(time);
}
