/** How many days a token may live; "": for ever. */
export const lifetimes = ["30", "90", "365", ""] as const;

/** When a token ends that is made now, in milliseconds since 1970; null: never. */
export function expiryOf(days: string, now: number): string | null {
  const count = Number(days);
  return days === "" || !Number.isFinite(count) ? null : new Date(now + count * 86_400_000).toISOString();
}
