/** Sentences by key. Keys are flat: the page, a dot, and what it is. */
export type Messages = Record<string, string>;

/** Puts the files of one language together. Each key stands in one file only, which a test checks. */
export function merge(files: Record<string, Messages>): Messages {
  const all: Messages = {};
  for (const messages of Object.values(files)) Object.assign(all, messages);
  return all;
}
