import { useSyncExternalStore } from "react";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

// public/theme.js reads the same key before the first drawing.
const storageKey = "pciatlas.theme";
const listeners = new Set<() => void>();
const systemDark = matchMedia("(prefers-color-scheme: dark)");
let wanted: Theme = read();

function read(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system"; // Storage is switched off.
  }
}

function show(): void {
  const dark = wanted === "dark" || (wanted === "system" && systemDark.matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

systemDark.addEventListener("change", show);

/** Switches to a theme and remembers it. */
export function setTheme(theme: Theme): void {
  wanted = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
  show();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The theme that was chosen, which is not always the one that is shown. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => wanted);
}
