const moves = new Set(["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]);

/** Moves the focus between the tiles in a box. From the page itself an arrow leads to the first one. */
export function rackKey(event: KeyboardEvent, box: HTMLElement): void {
  if (!moves.has(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const tiles = [...box.querySelectorAll<HTMLElement>("a.tile")];
  const active = document.activeElement;
  const at = tiles.findIndex((tile) => tile === active);
  if (at < 0 && !isPage(active)) return;
  const to = at < 0 ? tiles[0] : neighbour(tiles, at, event.key);
  if (!to) return;
  event.preventDefault();
  to.focus();
}

/** Nothing that uses arrows itself has the focus. */
export function isPage(element: Element | null): boolean {
  return element === null || element === document.body || element.id === "main" || element.tagName === "H1";
}

function neighbour(tiles: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === "ArrowRight") return tiles[at + 1];
  if (key === "ArrowLeft") return tiles[at - 1];
  const here = tiles[at]?.getBoundingClientRect();
  if (!here) return undefined;
  const down = key === "ArrowDown";
  const beyond = tiles
    .map((tile) => ({ tile, box: tile.getBoundingClientRect() }))
    .filter(({ box }) => (down ? box.top >= here.bottom : box.bottom <= here.top));
  const row = down ? Math.min(...beyond.map(({ box }) => box.top)) : Math.max(...beyond.map(({ box }) => box.top));
  return beyond
    .filter(({ box }) => box.top === row)
    .sort((a, b) => Math.abs(a.box.left - here.left) - Math.abs(b.box.left - here.left))[0]?.tile;
}
