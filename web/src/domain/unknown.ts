/** The message for a word of a newer server that has none of its own. */
export function unknownWord(key: string): { key: string; params: { word: string } } {
  return { key: "failure.unknown_word", params: { word: key.split(".").at(-1) ?? key } };
}
