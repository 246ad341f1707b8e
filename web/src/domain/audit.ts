/** The actions that the server writes down. */
export const auditActions = [
  "session.create", "session.delete", "setup.complete", "password.update",
  "administrator.create", "administrator.update", "administrator.delete",
  "token.create", "token.delete",
  "cluster.create", "cluster.update", "cluster.delete",
  "desktop.put", "desktop.delete", "desktop.import",
  "plan.apply", "plan.begin", "plan.step",
  "backup.create", "backup.restore",
] as const;

/** A day of the calendar, like 2026-11-30; undefined: the text is none. */
export function dayOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) ? text : undefined;
}

/**
 * The time at which a day begins where the reader is, so many days later, in RFC 3339.
 * undefined: there is no day, or the text is none.
 */
export function dayStart(day: string | undefined, later: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? "");
  if (!parts) return undefined;
  const time = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** A value of an object before and after; null: there was none. */
export interface Change {
  name: string;
  before: string | null;
  after: string | null;
}

type Values = Record<string, unknown> | null;

function written(values: Values, name: string): string | null {
  if (values === null || !Object.hasOwn(values, name)) return null;
  const value = values[name];
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What an entry of the audit log says about values: those that differ, by name. */
export function changesOf(before: Values, after: Values): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names
    .map((name) => ({ name, before: written(before, name), after: written(after, name) }))
    .filter((change) => change.before !== change.after);
}
