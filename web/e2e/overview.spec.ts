import { expect, test } from "./test";

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
  await expect(page.getByRole("region", { name: "pve-c" }).locator("a.tile")).toHaveCount(1);
  await expect(page.getByText("3 of 4 nodes answered")).toBeVisible();
  await expect(page.getByRole("region", { name: "pve-b" })).toContainText("Not read");
  release();
  await expect(page.getByRole("region", { name: "pve-a" }).locator("a.tile")).toHaveCount(7);
  await expect(page.getByText("the number of visible ones was not told")).toBeVisible();
});
