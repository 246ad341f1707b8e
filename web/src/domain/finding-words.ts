import type { Finding } from "./finding";

/** How many of a list a sentence names. */
const most = 5;

/** Not a list, whatever is in it: what Proxmox VE says. */
const quoted = new Set(["message", "key", "file"]);

/** The keys of the messages that together say what the sentence of a finding does. */
export function findingKeys({ code, params }: Pick<Finding, "code" | "params">): string[] {
  const { variant, also } = params ?? {};
  const own = variant === undefined ? `finding.${code}` : `finding.${code}_${variant}`;
  return [own, ...(also === undefined ? [] : also.split(", ")).map((word) => `finding.also.${word}`)];
}

/** Tells whether a message says nothing that the params do not. */
export function hasValues(message: string, params: Finding["params"]): boolean {
  return [...message.matchAll(/\{\{(\w+)\}\}/g)].every((match) => (params?.[match[1] ?? ""] ?? "") !== "");
}

/** The params as a sentence names them: lists as the language writes them, and of long ones the beginning. */
export function sayParams(params: Finding["params"], language: string, more: (count: number) => string): Record<string, string> {
  const format = new Intl.ListFormat(language, { type: "conjunction" });
  return Object.fromEntries(Object.entries(params ?? {}).map(([key, value]) => {
    const members = quoted.has(key) ? [value] : value.split(", ");
    const named = members.length > most ? [...members.slice(0, most), more(members.length - most)] : members;
    return [key, members.length === 1 ? value : format.format(named)];
  }));
}
