/** A part of a grid: tiles from first up to but without last, and the pixels of what stands before and after. */
export interface Lines {
  first: number;
  last: number;
  before: number;
  after: number;
}

interface Grid {
  count: number;
  /** Tiles in a line. */
  across: number;
  /** From one line to the next, in pixels. */
  pitch: number;
  /** Where the grid begins, from the top edge of the window. */
  top: number;
  height: number;
  /**
   * Lines are drawn so many at a time, and as many beyond the window: a short way of
   * scrolling changes nothing. 0: no line more than what is in sight.
   */
  beyond: number;
}

/**
 * The lines of a grid that are in sight or close to it. One tile is always there: it
 * tells how high they are.
 */
export function linesInSight({ count, across, pitch, top, height, beyond }: Grid): Lines {
  const lines = Math.ceil(count / across);
  const step = Math.max(beyond, 1);
  const from = Math.floor(-top / pitch / step) * step - beyond;
  const to = Math.ceil((height - top) / pitch / step) * step + beyond;
  if (from >= lines || to <= 0) return { first: 0, last: Math.min(count, 1), before: 0, after: (lines - 1) * pitch };
  const begin = Math.max(0, from);
  const end = Math.min(to, lines);
  return { first: begin * across, last: Math.min(count, end * across), before: begin * pitch, after: (lines - end) * pitch };
}
