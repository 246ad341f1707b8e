import type { Icon as Tabler } from "@tabler/icons-react";

// The drawings are 24 wide: on 16 px this makes a line of 1.5 px.
const stroke = 2.25;

/** A line icon beside a word, or in a button that has a label. */
export function Icon({ of: Drawing }: { of: Tabler }) {
  return <Drawing className="s" size={16} stroke={stroke} aria-hidden />;
}
