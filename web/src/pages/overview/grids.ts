import { startTransition } from "react";
import { flushSync } from "react-dom";
import { linesInSight, type Lines } from "../../domain/grid";

interface Watched {
  grid: HTMLElement;
  /** Tiles that it would have if all were drawn. */
  count: number;
  show: (lines: Lines) => void;
}

const watched = new Set<Watched>();
let shape: { across: number; pitch: number } | null = null;
let stop: (() => void) | null = null;
let due = false;

// So many lines beyond the window are drawn where the page rests, and so many milliseconds after the last change it does.
const usual = 4;
const rest = 150;
/** What is in sight has changed as a whole: the next frame may show other tiles again, so that those beyond the window come with the rest. */
let jumped = false;
let at = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells a grid which of its lines are in sight, now and whenever that changes. All grids of the page are looked at together. */
export function watchGrid(one: Watched): () => void {
  watched.add(one);
  stop ??= listen();
  jump();
  // Those of one draw are looked at once, before it is painted.
  if (!due) {
    due = true;
    queueMicrotask(() => {
      due = false;
      flushSync(look);
    });
  }
  return () => {
    watched.delete(one);
    if (watched.size > 0) return;
    stop?.();
    stop = null;
    shape = null;
  };
}

function listen(): () => void {
  const anew = () => {
    shape = null;
    look();
  };
  // In the frame that shows them, not in the one after it.
  const follow = () => {
    if (Math.abs(window.scrollY - at) > window.innerHeight / 2) jump();
    at = window.scrollY;
    flushSync(look);
  };
  at = window.scrollY;
  const size = new ResizeObserver(anew);
  // What stands above may grow: then the whole page does.
  size.observe(document.body);
  window.addEventListener("scroll", follow, { passive: true });
  window.addEventListener("resize", anew);
  return () => {
    clearTimeout(timer);
    size.disconnect();
    window.removeEventListener("scroll", follow);
    window.removeEventListener("resize", anew);
  };
}

function jump(): void {
  jumped = true;
  clearTimeout(timer);
  timer = setTimeout(() => {
    jumped = false;
    startTransition(look);
  }, rest);
}

/** Measures all grids before it changes one: else each would be laid out anew for the next. */
function look(): void {
  shape ??= shapeOf();
  if (!shape) return;
  const { across, pitch } = shape;
  const height = window.innerHeight;
  const found = [...watched].map((one) => ({ one, lines: linesInSight({ count: one.count, across, pitch, top: one.grid.getBoundingClientRect().top, height, beyond: jumped ? 0 : usual }) }));
  for (const { one, lines } of found) one.show(lines);
}

/** All grids have tiles of one size, and as many in a line. */
function shapeOf(): { across: number; pitch: number } | null {
  for (const { grid } of watched) {
    const tile = grid.querySelector<HTMLElement>("a.tile");
    if (!tile) continue;
    const style = getComputedStyle(grid);
    return { across: style.gridTemplateColumns.split(" ").length, pitch: tile.offsetHeight + parseFloat(style.rowGap) };
  }
  return null;
}
