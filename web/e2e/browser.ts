import { existsSync } from "node:fs";
import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

const chromium = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)) ?? "chromium";

const args = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const shell = "/usr/bin/chromium-headless-shell";

/** The same browser without its windows, which is a third cheaper; null where it is not installed, or another browser is asked for. */
export const light: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> | null =
  process.env["CHROMIUM"] === undefined && existsSync(shell) ? { launchOptions: { executablePath: shell, args } } : null;

/** How the browser is started: the one of the system, which asks nobody on the network for anything. */
export const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: "chromium",
  viewport: { width: 1440, height: 1000 },
  locale: "en-GB",
  timezoneId: "UTC",
  contextOptions: { reducedMotion: "reduce" },
  launchOptions: {
    executablePath: chromium,
    args,
  },
};
