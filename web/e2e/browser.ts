import { existsSync } from "node:fs";
import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

const chromium = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)) ?? "chromium";

/** How the browser is started: the one of the system, which asks nobody on the network for anything. */
export const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: "chromium",
  viewport: { width: 1440, height: 1000 },
  locale: "en-GB",
  timezoneId: "UTC",
  contextOptions: { reducedMotion: "reduce" },
  launchOptions: {
    executablePath: chromium,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  },
};
