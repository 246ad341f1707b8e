/** Where in a list the things stand that have a key. */
export type Places = ReadonlyMap<string, readonly number[]>;

/** Looks once through a list, so that what belongs to a key is found without looking again. */
export function placesBy<T>(list: readonly T[], keysOf: (item: T) => readonly string[]): Places {
  const places = new Map<string, number[]>();
  for (const [at, item] of list.entries()) {
    for (const key of keysOf(item)) {
      const known = places.get(key);
      if (known) known.push(at);
      else places.set(key, [at]);
    }
  }
  return places;
}

/** The things of a list that have one of the keys, each once and in the order of the list. */
export function pick<T>(list: readonly T[], places: Places, keys: Iterable<string>): T[] {
  const at = new Set<number>();
  for (const key of keys) {
    for (const place of places.get(key) ?? []) at.add(place);
  }
  return [...at].sort((a, b) => a - b).flatMap((place) => list[place] ?? []);
}

/** Keeps what a function makes of a list for as long as there is the list. */
export function kept<List extends object, Made>(make: (list: List) => Made): (list: List) => Made {
  const made = new WeakMap<List, Made>();
  return (list) => {
    let known = made.get(list);
    if (known === undefined) {
      known = make(list);
      made.set(list, known);
    }
    return known;
  };
}
