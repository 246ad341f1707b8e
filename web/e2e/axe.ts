import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

/** The rules that have to hold: WCAG 2.2 A and AA. */
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Finds what bars somebody from using the page as it stands. The page has no frames, so one run sees all of it. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const faults = await page.evaluate(async (values) => {
    const { violations } = await window.axe.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"],
      elementRef: false,
      preload: false,
    });
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }));
  }, tags);
  expect(faults, "what axe found").toEqual([]);
}

declare global {
  interface Window { axe: typeof axe }
}
