/** Runs at most so many tasks at once; the others wait in their order. */
export function limiter(most: number): <T>(signal: AbortSignal, task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = async (): Promise<void> => {
    if (running < most) {
      running += 1;
      return;
    }
    // Whoever leaves hands over the place.
    await new Promise<void>((go) => { waiting.push(go); });
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async (signal, task) => {
    await turn();
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      leave();
    }
  };
}
