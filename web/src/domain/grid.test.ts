import { expect, test } from "vitest";
import { linesInSight } from "./grid";

const grid = { count: 103, across: 5, pitch: 92, height: 900 };

test.each([
  ["at its beginning", 0, { first: 0, last: 80, before: 0, after: 5 * 92 }],
  ["in the middle", -10 * 92, { first: 20, last: 103, before: 4 * 92, after: 0 }],
  ["far above", -100_000, { first: 0, last: 1, before: 0, after: 20 * 92 }],
  ["far below", 100_000, { first: 0, last: 1, before: 0, after: 20 * 92 }],
])("a grid %s", (_, top, want) => {
  expect(linesInSight({ ...grid, top })).toEqual(want);
});

test("wherever it is, it is as high as all its lines, and what is in sight is drawn", () => {
  for (let top = 1000; top > -3000; top -= 37) {
    const { first, last, before, after } = linesInSight({ ...grid, top });
    expect(before + Math.ceil((last - first) / 5) * 92 + after).toBe(21 * 92);
    const seen = [Math.max(0, Math.floor(-top / 92)), Math.min(20, Math.floor((900 - top) / 92))] as const;
    if (seen[0] > 20 || seen[1] < 0) continue;
    expect(first).toBeLessThanOrEqual(seen[0] * 5);
    expect(last).toBeGreaterThan(Math.min(102, seen[1] * 5));
  }
});
