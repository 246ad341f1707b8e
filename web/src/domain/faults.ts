/** What the server found wrong with one field. */
export interface Fault {
  field: string;
  message: string;
}

/**
 * The words about a field and all that lies in it, like `entries[1]` in `entries`, each
 * once; undefined: nothing is wrong with it.
 */
export function faultAt(faults: Record<string, string>, field: string): string | undefined {
  const within = Object.entries(faults)
    .filter(([name]) => name === field || name.startsWith(`${field}[`) || name.startsWith(`${field}.`))
    .map(([, message]) => message);
  return within.length === 0 ? undefined : [...new Set(within)].join(" ");
}

/** A fault of a file, with its line; null: of the file as a whole. */
export interface LineFault {
  line: number | null;
  message: string;
}

/** The faults of a file in the order of its lines. */
export function lineFaults(faults: readonly Fault[]): LineFault[] {
  return faults
    .map(({ field, message }) => {
      const line = /^(?:body\.)?line (\d+)$/.exec(field)?.[1];
      return { line: line === undefined ? null : Number(line), message };
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
