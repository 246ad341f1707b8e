/** Whether every word of the search stands in one of the texts; capitals do not matter. */
export function matches(search: string, texts: readonly (string | null)[]): boolean {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  const lower = texts.map((text) => (text ?? "").toLowerCase());
  return words.every((word) => lower.some((text) => text.includes(word)));
}
