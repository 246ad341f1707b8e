import { statSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { settled, signedIn } from "./sheet";

/** What README.md shows, and the most that each picture may weigh. */
const shown = [
  { name: "overview", path: "/?cluster=lab" },
  { name: "gpus", path: "/gpus?cluster=lab&device=pve-a/0000:01:00.0" },
] as const;
const heaviest = 150_000;

for (const { name, path } of shown) for (const theme of ["light", "dark"] as const) {
  test(`${name}, ${theme}`, async ({ browser }) => {
    const context = await browser.newContext({
      storageState: await signedIn(browser, "operator"), baseURL: process.env["PCIATLAS_URL"] ?? "", reducedMotion: "reduce",
      locale: "en", timezoneId: "UTC", colorScheme: theme, viewport: { width: 1200, height: 640 },
    });
    const page = await context.newPage();
    await page.goto(path);
    await settled(page);
    const file = `../docs/pictures/${name}-${theme}.png`;
    await page.screenshot({ path: file });
    expect(statSync(file).size).toBeLessThanOrEqual(heaviest);
    await context.close();
  });
}
