import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./test";

/** Counts every key and every tap. */
class Hand {
  count = 0;

  constructor(private readonly page: Page) {}

  async keys(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.count += 1;
      await this.page.keyboard.press(key);
    }
  }

  async tap(where: Locator): Promise<void> {
    this.count += 1;
    // Nobody taps what he does not see.
    await expect(where).toBeInViewport();
    await where.tap();
  }
}

/** The words are on the screen, whole, and not only in the page. */
async function expectInSight(where: Locator): Promise<void> {
  await expect(where).toBeVisible();
  await expect(where).toBeInViewport({ ratio: 1 });
}

const reason = "Resource mapping rtx-4090-pool may give this device to VM 110.";

function tiles(page: Page): Locator {
  return page.getByRole("region", { name: "pve-a" }).locator("a.tile");
}

test("who holds the second GPU of a node, and why one needs review, takes at most 8 keys from sign-in", async ({ page }) => {
  await page.goto("/?cluster=lab");
  const hand = new Hand(page);
  await expect(page.getByLabel("Name")).toBeFocused();
  await hand.keys("Enter");
  await expectInSight(tiles(page).nth(1).getByText("100, 101"));
  await expect(tiles(page).nth(3)).toContainText("candidate");
  await hand.keys("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter");
  await expectInSight(page.locator(".drawer").getByText(reason).first());
  expect(hand.count, "keys pressed").toBeLessThanOrEqual(8);
});

test.describe("with a finger", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("who holds the second GPU of a node, and why one needs review, takes at most 4 taps from sign-in", async ({ page }) => {
    await page.goto("/?cluster=lab");
    const hand = new Hand(page);
    await hand.tap(page.getByRole("button", { name: "Sign in" }));
    const second = tiles(page).nth(1).getByText("100, 101");
    await expect(second).toBeVisible();
    // A swipe is no tap.
    await second.scrollIntoViewIfNeeded();
    await expectInSight(second);
    const fourth = tiles(page).nth(3);
    await fourth.scrollIntoViewIfNeeded();
    await expect(fourth).toContainText("candidate");
    await hand.tap(fourth);
    await expectInSight(page.locator(".drawer").getByText(reason).first());
    expect(hand.count, "taps").toBeLessThanOrEqual(4);
  });
});
