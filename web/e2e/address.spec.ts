import { expect, test } from "./test";

test("a link shows a colleague the same: node, state, search and drawer", async ({ page, open }) => {
  await open("/gpus?node=pve-a&state=multi_referenced&q=3090&device=0000:01:00.0", "auditor");
  await expect(page.getByRole("combobox", { name: "Node" })).toHaveValue("pve-a");
  await expect(page.getByRole("button", { name: /^Several VMs/ })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByLabel("Search devices")).toHaveValue("3090");
  const rows = page.getByRole("table", { name: "GPU resources" }).locator("tr[data-index]");
  await expect(rows).toHaveCount(1);
  await expect(rows).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("complementary")).toContainText("VM 100 (render-1) and VM 101 (render-2)");
});

test("Back closes the drawer and keeps the filters", async ({ page, open }) => {
  await open("/gpus?node=pve-a&q=3090");
  const rows = page.getByRole("table", { name: "GPU resources" }).locator("tr[data-index]");
  await rows.first().click();
  const drawer = page.getByRole("complementary");
  await expect(drawer).toBeVisible();
  await rows.nth(1).click();
  await expect(page).toHaveURL(/device=0000(?::|%3A)02/);
  await page.goBack();
  await expect(drawer).toHaveCount(0);
  await expect(page).toHaveURL(/node=pve-a/);
  await expect(page.getByLabel("Search devices")).toHaveValue("3090");
  await page.goForward();
  await expect(drawer).toBeVisible();
});

for (const width of [1440, 390]) {
  test(`the focus goes back to the row when the drawer closes, ${width}`, async ({ page, open }) => {
    await page.setViewportSize({ width, height: 844 });
    await open("/gpus?node=pve-b");
    const row = page.getByRole("row", { name: /Tesla P4/ }).first();
    await row.focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(".drawer")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.locator(".drawer")).toHaveCount(0);
    await expect(row).toBeFocused();
  });
}

test("the keyboard walks the VMs: arrows move, Enter opens, the page has the focus", async ({ page, open }) => {
  await open("/vms");
  const rows = page.getByRole("table", { name: "VMs" }).locator("tr[data-index]");
  await expect(rows.first()).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/vms\/lab\/\d+/);
  await expect(page.locator("#main")).toBeFocused();
});

test("findings keep their filters in the address", async ({ page, open }) => {
  await open("/findings?severity=error&node=pve-a");
  await expect(page.getByRole("button", { name: /^error/i })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("combobox", { name: "Node" })).toHaveValue("pve-a");
  await page.getByRole("combobox", { name: "Node" }).selectOption("");
  await expect(page).not.toHaveURL(/node=/);
  await page.reload();
  await expect(page.getByRole("button", { name: /^error/i })).toHaveAttribute("aria-pressed", "true");
});
