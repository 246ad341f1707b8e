/** Says a message with its numbers. */
export type Say = (key: string, values?: Readonly<Record<string, number>>) => string;

/** Says the same without asking for it again: in a matrix the same few words stand a thousand times. */
export function remember(say: Say): Say {
  const said = new Map<string, string>();
  return (key, values) => {
    const whole = values === undefined ? key : `${key} ${JSON.stringify(values)}`;
    const known = said.get(whole);
    if (known !== undefined) return known;
    const words = say(key, values);
    said.set(whole, words);
    return words;
  };
}
