import { expect, test } from "vitest";
import { limiter } from "./limit";

test("six run, the seventh waits, and a failed one makes room", async () => {
  const limit = limiter(6);
  const ends: ((fail: boolean) => void)[] = [];
  const started: number[] = [];
  const signal = new AbortController().signal;
  const all = Array.from({ length: 8 }, (_, at) => limit(signal, () => new Promise<number>((resolve, reject) => {
    started.push(at);
    ends.push((fail) => { if (fail) reject(new Error("broken")); else resolve(at); });
  })).catch(() => -1));
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  ends[2]?.(true);
  await all[2];
  await expect.poll(() => started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const end of ends) end(false);
  await all[6];
  await expect.poll(() => started.length).toBe(8);
  ends[7]?.(false);
  expect(await Promise.all(all)).toEqual([0, 1, -1, 3, 4, 5, 6, 7]);
});

test("what nobody waits for any more does not start", async () => {
  const limit = limiter(1);
  const control = new AbortController();
  control.abort();
  let ran = false;
  await expect(limit(control.signal, () => { ran = true; return Promise.resolve(); })).rejects.toThrow();
  expect(ran).toBe(false);
});
