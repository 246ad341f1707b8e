import { expect, test } from "vitest";
import { linesInSight } from "./grid";

const grid = { count: 103, across: 5, pitch: 92, height: 900, beyond: 4 };

test.each([
  ["at its beginning", 0, { first: 0, last: 80, before: 0, after: 5 * 92 }],
  ["in the middle", -10 * 92, { first: 20, last: 103, before: 4 * 92, after: 0 }],
  ["far above", -100_000, { first: 0, last: 1, before: 0, after: 20 * 92 }],
  ["far below", 100_000, { first: 0, last: 1, before: 0, after: 20 * 92 }],
])("a grid %s", (_, top, want) => {
  expect(linesInSight({ ...grid, top })).toEqual(want);
});

test.each([0, 1, 4])("wherever it is, it is as high as all its lines, and what is in sight is drawn, with %d lines beyond", (beyond) => {
  for (let top = 1000; top > -3000; top -= 37) {
    const { first, last, before, after } = linesInSight({ ...grid, top, beyond });
    expect(before + Math.ceil((last - first) / 5) * 92 + after).toBe(21 * 92);
    // A line that only touches the edge of the window is not seen.
    const seen = [Math.max(0, Math.floor(-top / 92)), Math.min(20, Math.ceil((900 - top) / 92) - 1)] as const;
    if (seen[0] > 20 || seen[1] < 0) continue;
    expect(first).toBeLessThanOrEqual(seen[0] * 5);
    expect(last).toBeGreaterThan(Math.min(102, seen[1] * 5));
  }
});

test("no line more than what is in sight is drawn where none is asked for", () => {
  expect(linesInSight({ ...grid, top: -500, beyond: 0 })).toEqual({ first: 25, last: 80, before: 5 * 92, after: 5 * 92 });
});
