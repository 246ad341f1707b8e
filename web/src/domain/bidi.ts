// Letters that run from right to left, and all signs that change the direction of a text.
const turning = /[\u0590-\u08ff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

const firstStrong = "\u2068";
const pop = "\u2069";

/**
 * Keeps a name from turning round what stands beside it in a sentence: whatever it does
 * to the direction ends with it. A name that runs from left to right stays as it is.
 */
export function isolated(name: string): string {
  if (!turning.test(name)) return name;
  let open = 0;
  let inside = "";
  for (const sign of name) {
    if (sign >= "\u2066" && sign <= firstStrong) open += 1;
    // One too many would end the isolation before the name.
    if (sign === pop && open === 0) continue;
    if (sign === pop) open -= 1;
    inside += sign;
  }
  return firstStrong + inside + pop.repeat(open + 1);
}
