import type { Browser, Page } from "@playwright/test";
import { demoPassword, type Account } from "../test";

const themes = ["light", "dark"] as const;
const widths = [1440, 390] as const;
const locales = ["en", "zh-CN", "ru"] as const;

interface Sheet {
  /** Name of the file. */
  name: string;
  path: string;
  /** null: nobody is signed in. */
  as?: Account | null;
  /** Brings the page to what is to be shown, and waits until it is. */
  ready: (page: Page) => Promise<void>;
}

/** Writes pictures/NAME.png: two themes, two widths and three languages side by side; and each of them alone. */
export async function makeSheet(browser: Browser, { name, path, as = "operator", ready }: Sheet): Promise<void> {
  const pictures: { title: string; data: string; width: number }[] = [];
  for (const theme of themes) for (const width of widths) for (const locale of locales) {
    const context = await browser.newContext({
      reducedMotion: "reduce", baseURL: process.env["PCIATLAS_URL"] ?? "", locale, timezoneId: "UTC",
      colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 1000 },
    });
    const page = await context.newPage();
    if (as !== null) await page.request.post("/api/v1/session", { data: { name: as, password: demoPassword } });
    await page.goto(path);
    await ready(page);
    const title = `${name}-${width}-${theme}-${locale}`;
    const data = await page.screenshot({ path: `pictures/${title}.png`, fullPage: true });
    pictures.push({ title, data: data.toString("base64"), width });
    await context.close();
  }
  await bind(browser, name, pictures);
}

async function bind(browser: Browser, name: string, pictures: { title: string; data: string; width: number }[]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 2960, height: 1000 } });
  const page = await context.newPage();
  const figures = pictures.map(({ title, data, width }) => `<figure><figcaption>${title}</figcaption><img width="${width / 2}" src="data:image/png;base64,${data}"></figure>`);
  await page.setContent(`<style>body{display:flex;flex-wrap:wrap;gap:16px;align-items:start;margin:16px;font:12px sans-serif;background:#888}figure{margin:0}</style>${figures.join("")}`);
  await page.screenshot({ path: `pictures/${name}.png`, fullPage: true });
  await context.close();
}
