import type { Page } from "@playwright/test";

/** What a page is to look like when it has done what it was told. */
export interface Sign {
  selector: string;
  /** The attribute to read; "": the text. */
  attribute: string;
  value: string;
}

const key = "speedResult";

/**
 * Does something to a page and tells how many milliseconds pass between the event in
 * the page and the moment at which the frame that shows the result is painted.
 */
export async function timeToPaint(page: Page, event: "input" | "click", act: () => Promise<void>, sign: Sign): Promise<number> {
  await page.evaluate(({ event, sign, key }) => {
    const store = window as unknown as Record<string, Promise<number>>;
    store[key] = new Promise<number>((resolve) => {
      const there = () => {
        const element = document.querySelector(sign.selector);
        return (sign.attribute === "" ? element?.textContent : element?.getAttribute(sign.attribute)) === sign.value;
      };
      if (there()) throw new Error(`The page shows ${sign.value} already.`);
      const painted = (begin: number) => {
        // The callback runs before its frame is painted, the message after.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => { resolve(performance.now() - begin); };
          port2.postMessage(null);
        });
      };
      document.addEventListener(event, (told) => {
        const begin = told.timeStamp;
        const watch = new MutationObserver(() => {
          if (!there()) return;
          watch.disconnect();
          painted(begin);
        });
        watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
      }, { capture: true, once: true });
    });
  }, { event, sign, key });
  await act();
  return page.evaluate((key) => (window as unknown as Record<string, Promise<number>>)[key], key) as Promise<number>;
}

export interface Scroll {
  /** Milliseconds between frames. */
  frames: readonly number[];
  /** The most elements that the page had. */
  elements: number;
  /** The most rows that the page had. */
  rows: number;
  /** Of every tenth frame, those in which no row was in the middle of the screen. */
  blank: number;
}

/** Scrolls from the top to the end in three seconds, as evenly as frames come. */
export async function scrollThrough(page: Page, row: string): Promise<Scroll> {
  return page.evaluate((row) => new Promise<Scroll>((resolve) => {
    const frames: number[] = [];
    let elements = 0;
    let rows = 0;
    let blank = 0;
    let last = performance.now();
    const begin = last;
    const room = () => document.documentElement.scrollHeight - innerHeight;
    const step = (now: number) => {
      if (now > last) frames.push(now - last);
      last = now;
      elements = Math.max(elements, document.getElementsByTagName("*").length);
      rows = Math.max(rows, document.querySelectorAll(row).length);
      // Looking costs a layout: it is done now and then.
      if (frames.length % 10 === 9 && !document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(row)) blank += 1;
      const part = Math.min((now - begin) / 3000, 1);
      scrollTo(0, part * room());
      if (part < 1) requestAnimationFrame(step);
      else resolve({ frames, elements, rows, blank });
    };
    requestAnimationFrame(step);
  }), row);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
