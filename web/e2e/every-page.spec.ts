import type { Page } from "@playwright/test";
import { locales, type Locale } from "../src/i18n";
import { book, type Entry } from "./book";
import { alter, breakable, expectFailure, retry } from "./fault";
import { expect, expectAccessible, expectNoSideways, look, looks, test } from "./test";

type Open = (path: string) => Promise<void>;

/** Opens a page as the one who may see everything and press nothing, and waits until all is told. */
async function arrive(page: Page, open: Open, entry: Entry) {
  if (entry.bare) await page.goto(entry.path);
  else await open(entry.path);
  const main = page.locator("#main");
  await expect(entry.told(main).first()).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
  return main;
}

for (const entry of book) {
  const { path, titles, told, reads, ages, empty, unread } = entry;

  test(`${path}: everybody can use it, in each look`, async ({ page, open }) => {
    for (const [at, [colorScheme, width]] of looks.entries()) {
      await look(page, colorScheme, width);
      if (at === 0) await arrive(page, open, entry);
      await test.step(`${colorScheme}, ${width}`, async () => {
        await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
        await expect(page).toHaveTitle(`${titles.en} · pciatlas`);
        await expectAccessible(page);
        await expectNoSideways(page);
      });
    }
  });

  test(`${path}: speaks each language, also on a telephone`, async ({ page, open }) => {
    await arrive(page, open, entry);
    let now: Locale = "en";
    for (const locale of ["ru", "zh-CN"] as const) {
      await look(page, "light", 1440);
      await page.locator("header").getByRole("button", { name: new RegExp(`: ${locales[now].name}$|：${locales[now].name}$`) }).click();
      await page.getByRole("menuitemradio", { name: locales[locale].name }).click();
      await expect(page.locator("h1")).toHaveText(titles[locale]);
      await expect(page).toHaveTitle(`${titles[locale]} · pciatlas`);
      await expect(page.locator("html")).toHaveAttribute("lang", locale);
      await look(page, "light", 390);
      await expectNoSideways(page);
      now = locale;
    }
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("lang", now);
    await expect(page.locator("h1")).toHaveText(path.startsWith("/setup") ? /./ : titles[now]);
  });

  if (reads) {
    test(`${path}: a read that fails is told with its request, and nothing old stays`, async ({ page, open }) => {
      const server = await breakable(page, reads);
      server.broken = "r-4711";
      if (entry.bare) await page.goto(path);
      else await open(path);
      const main = page.locator("#main");
      await expectFailure(main, "r-4711");
      await expect(told(main)).toHaveCount(0);
      server.broken = null;
      await retry(main);
      await expect(told(main).first()).toBeVisible();
      await expect(main.locator(".failed")).toHaveCount(0);
      if (entry.bare) return;
      server.broken = "r-4712";
      await page.locator("header").getByRole("button", { name: "Refresh" }).click();
      await expectFailure(main, "r-4712");
      await expect(told(main)).toHaveCount(0);
      server.broken = null;
      await retry(main);
      await expect(told(main).first()).toBeVisible();
    });
  }

  if (ages && reads) {
    test(`${path}: data older than 90 s say so, and the banner reads again`, async ({ page, open }) => {
      await page.clock.install();
      const main = await arrive(page, open, entry);
      const banner = main.locator(".banner");
      await expect(banner).toHaveCount(0);
      await page.clock.fastForward(95_000);
      await expect(banner).toContainText("Configurations may have changed since.");
      const asked = page.waitForRequest(reads);
      await banner.getByRole("button", { name: "Refresh" }).click();
      await asked;
    });
  }

  for (const [kind, lacking] of [["nothing", empty], ["not read", unread]] as const) {
    if (!lacking) continue;
    test(`${path}: ${kind} is said as such`, async ({ page, open }) => {
      await alter(page, lacking.altered);
      await open(path);
      const main = page.locator("#main");
      for (const words of lacking.says) await expect(main.getByText(words).first()).toBeVisible();
      const other = kind === "nothing" ? unread : empty;
      for (const words of other?.says.slice(0, 1) ?? []) await expect(main.getByText(words)).toHaveCount(0);
      await expect(told(main).and(main.locator("tr, .tile"))).toHaveCount(0);
      await expectNoSideways(page);
    });
  }
}

test("nothing moves for those who do not want it", async ({ page, open }) => {
  await page.route(/\/clusters\/lab\/nodes$/, () => undefined);
  await open("/");
  await expect(page.locator(".skel").first()).toBeVisible();
  const moving = () => page.evaluate(() => document.getAnimations().length);
  expect(await moving()).toBe(0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(moving).toBeGreaterThan(0);
});

for (const [path, what] of [["/", /\/nodes\/pve-\w\?/], ["/gpus", /\/nodes\/pve-\w\?/], ["/vms", /\/clusters\/lab\/vms\?/]] as const) {
  test(`${path}: no number is told before the first answer`, async ({ page, open }) => {
    await page.route(what, () => undefined);
    await open(path);
    const scope = page.locator("#main").getByRole("status");
    await expect(scope).toHaveText("0 of 4 nodes answered");
  });
}
