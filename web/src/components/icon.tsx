import type { Icon as Tabler } from "@tabler/icons-react";

/** A line icon beside a word, or in a button that has a label. */
export function Icon({ of: Drawing }: { of: Tabler }) {
  return <Drawing className="s" size={16} stroke={1.5} aria-hidden />;
}
