// What the server's clock said last, and what the two clocks here said then.
let told: { server: number; wall: number; steady: number } | null = null;

/** Takes note of the server's time of now: the text of the header Date, or null if there is none. */
export function setServerTime(date: string | null): void {
  const server = Date.parse(date ?? "");
  if (!Number.isNaN(server)) told = { server, wall: Date.now(), steady: performance.now() };
}

/**
 * The time of the server, in milliseconds since 1970, so that a clock here that is wrong
 * makes nothing look fresh. The steady clock may stand while the machine sleeps, the
 * other may be set back: the one that went further counts.
 */
export function serverNow(): number {
  if (told === null) return Date.now();
  return told.server + Math.max(Date.now() - told.wall, performance.now() - told.steady);
}

/** A time of the clock here as the server's clock would have told it; null stays null. */
export function asServerTime(wall: number | null): number | null {
  return wall === null || told === null ? wall : wall - told.wall + told.server;
}
