import { expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { demoPassword, type Account } from "../test";

const themes = ["light", "dark"] as const;
const widths = [1440, 390] as const;
const locales = ["en", "zh-CN", "ru"] as const;
/** Of the longer side of A4 without its margins, in CSS pixels. */
const paperWidth = 1032;

export interface Sheet {
  /** Name of the file. */
  name: string;
  path: string;
  /** null: nobody is signed in. */
  as?: Account | null;
  /** Comes before the page is opened: answers that the demo does not give. */
  before?: (page: Page) => Promise<unknown>;
  /** Brings the page to what is to be shown; it has all its data already. */
  then?: (page: Page) => Promise<unknown>;
  /** Only these. */
  only?: readonly number[];
  /** As it comes out of a printer. */
  print?: boolean;
}

interface Picture {
  title: string;
  data: Buffer;
  width: number;
}

interface Look {
  theme: (typeof themes)[number];
  width: number;
  locale: string;
}

/** Writes pictures/NAME.png: two themes, two widths and three languages side by side; and each of them alone. LOOKS, a regular expression, chooses some. */
export async function makeSheet(browser: Browser, sheet: Sheet): Promise<void> {
  const pictures: Picture[] = [];
  const wanted = new RegExp(process.env["LOOKS"] ?? "");
  const storageState = await signedIn(browser, sheet.as ?? "admin");
  for (const look of looksOf(sheet)) {
    const title = `${sheet.name}-${sheet.print ? "print" : `${String(look.width)}-${look.theme}`}-${look.locale}`;
    if (!wanted.test(title)) continue;
    const context = await browser.newContext({
      ...(sheet.as === null ? {} : { storageState }), reducedMotion: "reduce", baseURL: process.env["PCIATLAS_URL"] ?? "", locale: look.locale, timezoneId: "UTC",
      colorScheme: look.theme, viewport: { width: look.width, height: look.width === 390 ? 844 : 1000 },
    });
    pictures.push({ title, data: await takePicture(context, sheet, `pictures/${title}.png`), width: look.width });
    await context.close();
  }
  await bind(browser, sheet.name, pictures);
}

function looksOf(sheet: Sheet): Look[] {
  if (sheet.print) return locales.map((locale) => ({ theme: "dark", width: paperWidth, locale }));
  return themes.flatMap((theme) => widths.filter((width) => sheet.only?.includes(width) ?? true)
    .flatMap((width) => locales.map((locale) => ({ theme, width, locale }))));
}

async function takePicture(context: BrowserContext, sheet: Sheet, path: string): Promise<Buffer> {
  const page = await context.newPage();
  await showSheet(page, sheet);
  if (sheet.print) await printed(page);
  else await unroll(page);
  return page.screenshot({ path, fullPage: true });
}

/** Shows the page as on paper; a printer tells it before. */
async function printed(page: Page): Promise<void> {
  await page.evaluate(() => { window.dispatchEvent(new Event("beforeprint")); });
  await page.emulateMedia({ media: "print" });
}

/** Makes the window as high as what lies over the page, which scrolls by itself. */
async function unroll(page: Page): Promise<void> {
  const over = page.locator("dialog[open], .drawer").last();
  const size = page.viewportSize();
  if (size === null || await over.count() === 0) return;
  const height = await over.evaluate((element) => element.scrollHeight + element.getBoundingClientRect().top * 2);
  await page.setViewportSize({ width: size.width, height: Math.max(size.height, Math.ceil(height)) });
}

/** Opens the page and brings it to what is to be shown. */
export async function showSheet(page: Page, { path, before, then }: Sheet): Promise<void> {
  await before?.(page);
  await page.goto(path);
  await settled(page);
  await then?.(page);
  await settled(page);
}

type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;
const sessions = new Map<Account, Session>();

/** One session for all pictures: the server lets nobody sign in as often as there are pictures. */
export async function signedIn(browser: Browser, name: Account): Promise<Session> {
  const known = sessions.get(name);
  if (known) return known;
  const context = await browser.newContext({ baseURL: process.env["PCIATLAS_URL"] ?? "" });
  const answer = await context.request.post("/api/v1/session", { data: { name, password: demoPassword } });
  expect(answer.status()).toBe(200);
  const session = await context.storageState();
  await context.close();
  sessions.set(name, session);
  return session;
}

/** Waits until the page shows something and nothing is awaited any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1, .failed").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".skel, [aria-busy=true]") === null);
}

async function bind(browser: Browser, name: string, pictures: readonly Picture[]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 2960, height: 1000 } });
  const page = await context.newPage();
  const figures = pictures.map(({ title, data, width }) => `<figure><figcaption>${title}</figcaption><img width="${String(width / 2)}" src="data:image/png;base64,${data.toString("base64")}"></figure>`);
  await page.setContent(`<style>body{display:flex;flex-wrap:wrap;gap:16px;align-items:start;margin:16px;font:12px sans-serif;background:#888}figure{margin:0}</style>${figures.join("")}`);
  await page.screenshot({ path: `pictures/${name}.png`, fullPage: true });
  await context.close();
}
