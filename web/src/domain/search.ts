/** The words of a search, in small letters. */
export function wordsOf(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/** Whether every word stands in a text that is in small letters. */
export function hasWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** Whether every word of the search stands in one of the texts; capitals do not matter. */
export function matches(search: string, texts: readonly (string | null)[]): boolean {
  return hasWords(texts.join("\n").toLowerCase(), wordsOf(search));
}
