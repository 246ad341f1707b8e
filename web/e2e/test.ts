import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";

export type Account = "admin" | "operator" | "auditor";

/** Of the demo, and known to everybody. */
export const demoPassword = "demo-only";

interface Fixtures {
  /** Signs in without the page, and opens a path. */
  open: (path: string, as?: Account) => Promise<void>;
}

/** A test against the demo. It fails when the page breaks or its policy stops something. */
export const test = base.extend<Fixtures>({
    baseURL: process.env["PCIATLAS_URL"] ?? "",
  page: async ({ page }, provide) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) faults.push(message.text());
    });
    await provide(page);
    expect(faults, "what the browser complained about").toEqual([]);
  },
  open: async ({ page, baseURL }, provide) => {
    await provide(async (path, as = "admin") => {
      const origin = baseURL ?? "";
      const answer = await page.request.post("/api/v1/session", { data: { name: as, password: demoPassword }, headers: { Origin: origin } });
      expect(answer.status()).toBe(200);
      await page.goto(path);
    });
  },
});

export { expect };

/** The rules that have to hold: WCAG 2.2 A and AA. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  expect(violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }))).toEqual([]);
}

/** Nothing is wider than the screen. */
export async function expectNoSideways(page: Page): Promise<void> {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth] as const);
  expect(wide).toBeLessThanOrEqual(room);
}

/** Whether a page is tried in this look: in the two that differ in everything, and in each with LOOKS=all. */
export function tried(colorScheme: "light" | "dark", width: number): boolean {
  return process.env["LOOKS"] === "all" || (colorScheme === "light" ? width === 1440 : width === 390);
}
