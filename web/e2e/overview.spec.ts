import { expect, expectAccessible, expectNoSideways, test, tried } from "./test";

const title = "Overview";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1440, 390]) {
    if (!tried(colorScheme, width)) continue;
    test(`everybody can use the overview, ${colorScheme}, ${width}`, async ({ page, open }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await open("/", "auditor");
      await expect(page.getByRole("heading", { name: title })).toBeVisible();
      await expect(page.getByRole("link", { name: /RTX 4090.*04:00\.0/ })).toBeVisible();
      await expect(page.locator(".flist a").first()).toBeVisible();
      await expectAccessible(page);
      await expectNoSideways(page);
    });
  }
}

test("who holds the second GPU of pve-a, and why one needs review, is found with few keys", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "auditor" }).click();
  const node = page.getByRole("region", { name: "pve-a" });
  await expect(node.getByRole("link").nth(1)).toContainText("100, 101");
  await expect(node.getByRole("link").nth(3)).toContainText("candidate");
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  const drawer = page.getByRole("complementary", { name: /RTX 4090/ });
  await expect(drawer).toContainText("Resource mapping rtx-4090-pool may give this device to VM 110.");
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
});

test("a counter filters the rack, and a second press shows all again", async ({ page, open }) => {
  await open("/");
  const counter = page.getByRole("button", { name: /Needs review/ });
  await expect(counter).toContainText("4");
  await counter.click();
  await expect(page).toHaveURL(/state=needs_review/);
  await expect(page.locator("a.tile")).toHaveCount(4);
  await counter.click();
  await expect(page.locator("a.tile")).toHaveCount(12);
});

test("a node that was not read says so, and each reason opens the issues", async ({ page, open }) => {
  await open("/");
  const node = page.getByRole("region", { name: "pve-d" });
  await expect(node).toContainText("Not read");
  await expect(node.getByRole("button", { name: "Retry pve-d" })).toBeVisible();
  await page.getByRole("button", { name: "pve-d not reached" }).click();
  await expect(page.getByRole("dialog")).toContainText("VM 203 has custom arguments");
});

test("each node appears as it arrives, and one that fails hides no other", async ({ page, open }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => { release = resolve; });
  await page.route(/\/nodes\/pve-a\?/, async (route) => { await held; await route.continue(); });
  await page.route(/\/nodes\/pve-b\?/, (route) => route.fulfill({ status: 504, contentType: "application/problem+json", json: { code: "timeout", status: 504, title: "", detail: "No answer in time.", request_id: "abc" } }));
  await open("/");
  await expect(page.getByRole("region", { name: "pve-c" }).getByRole("link")).toHaveCount(1);
  await expect(page.getByText("3 of 4 nodes answered")).toBeVisible();
  await expect(page.getByRole("region", { name: "pve-b" })).toContainText("Not read");
  release();
  await expect(page.getByRole("region", { name: "pve-a" }).getByRole("link")).toHaveCount(7);
  await expect(page.getByText("the number of visible ones was not told")).toBeVisible();
});
