/** The words of an age: a message key and its numbers. */
export interface Age {
  key: "age.now" | "age.seconds" | "age.minutes" | "age.hours" | "age.days";
  params: Record<string, number>;
}

/** Says how long ago something was, in milliseconds; what lies ahead counts as now. */
export function ageOf(milliseconds: number): Age {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 1) return { key: "age.now", params: {} };
  if (minutes < 1) return { key: "age.seconds", params: { s: seconds } };
  if (hours < 1) return { key: "age.minutes", params: { m: minutes, s: seconds % 60 } };
  if (hours < 24) return { key: "age.hours", params: { h: hours, m: minutes % 60 } };
  return { key: "age.days", params: { d: Math.floor(hours / 24), h: hours % 24 } };
}
