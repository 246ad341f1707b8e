/** The rows in sight, by index, both included. */
interface Sight {
  startIndex: number;
  endIndex: number;
}

/** So many rows before and after those in sight are drawn at rest, so that a slow scroll shows no gap. */
const usual = 6;
/** Lists of at most so many rows are drawn whole once they rest. */
const whole = 100;
/** So many rows, at each side, are drawn at once. */
const step = 12;

/**
 * How many rows around those in sight are worth drawing. Where a list jumps, so that
 * nothing of what was in sight is left, or has other rows than before, only what is seen
 * is drawn: the next frame may show other rows again. The rows around come with the rest,
 * a few at a time.
 */
export class Around {
  private rows: readonly unknown[] = [];
  private seen: Sight | null = null;
  private count = 0;

  /** The number of rows, for what is in sight now. */
  of(rows: readonly unknown[], { startIndex, endIndex }: Sight): number {
    const seen = this.seen;
    if (rows !== this.rows || seen === null || startIndex > seen.endIndex || endIndex < seen.startIndex) this.count = 0;
    this.rows = rows;
    this.seen = { startIndex, endIndex };
    return this.count;
  }

  /** The list rests; whether there are rows to draw. */
  rest(): boolean {
    const before = this.count;
    this.count = Math.min(before + step, this.rows.length <= whole ? whole : usual);
    return this.count > before;
  }
}
