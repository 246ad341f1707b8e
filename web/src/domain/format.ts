// Making one takes a hundred times as long as using it.
const numbers = new Map<string, Intl.NumberFormat>();
const clocks = new Map<string, Intl.DateTimeFormat>();
const calendars = new Map<string, Intl.DateTimeFormat>();

function once<Format>(made: Map<string, Format>, locale: string, make: () => Format): Format {
  const format = made.get(locale) ?? make();
  made.set(locale, format);
  return format;
}

/** A number in the figures of a language. */
export function formatNumber(value: number, locale: string): string {
  return once(numbers, locale, () => new Intl.NumberFormat(locale)).format(value);
}

/** A time of day, to the second, in the zone of the reader. */
export function formatTime(time: Date, locale: string): string {
  return once(clocks, locale, () => new Intl.DateTimeFormat(locale, { timeStyle: "medium", hourCycle: "h23" })).format(time);
}

/** A day and time, to the second, in the zone of the reader. */
export function formatDateTime(time: Date, locale: string): string {
  return once(calendars, locale, () => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" })).format(time);
}
