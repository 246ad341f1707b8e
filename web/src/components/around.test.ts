import { expect, test } from "vitest";
import { Around } from "./around";

const long = Array.from({ length: 5000 }, (_, at) => at);

/** Lets a list rest until nothing is left to draw. */
function settle(around: Around): number {
  let times = 0;
  while (around.rest()) times += 1;
  return times;
}

test("a list that jumps draws what is seen, and the rows around once it rests", () => {
  const around = new Around();
  expect(around.of(long, { startIndex: 0, endIndex: 20 })).toBe(0);
  expect(settle(around)).toBe(1);
  expect(around.of(long, { startIndex: 0, endIndex: 20 })).toBe(6);
  expect(around.of(long, { startIndex: 3, endIndex: 23 })).toBe(6);
  expect(around.of(long, { startIndex: 23, endIndex: 43 })).toBe(6);
  expect(around.of(long, { startIndex: 44, endIndex: 64 })).toBe(0);
  expect(around.of(long, { startIndex: 45, endIndex: 65 })).toBe(0);
  expect(settle(around)).toBe(1);
  expect(around.of(long, { startIndex: 45, endIndex: 65 })).toBe(6);
  expect(around.of(long, { startIndex: 0, endIndex: 20 })).toBe(0);
});

test("other rows are a jump wherever they stand", () => {
  const around = new Around();
  around.of(long, { startIndex: 0, endIndex: 20 });
  settle(around);
  expect(around.of([...long], { startIndex: 0, endIndex: 20 })).toBe(0);
});

test("a short list is whole in the end, a few rows at a time", () => {
  const around = new Around();
  const short = long.slice(0, 100);
  around.of(short, { startIndex: 0, endIndex: 20 });
  let before = 0;
  while (around.rest()) {
    const now = around.of(short, { startIndex: 0, endIndex: 20 });
    expect(now - before).toBeLessThanOrEqual(12);
    before = now;
  }
  expect(before).toBe(100);
});
