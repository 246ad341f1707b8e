import { readFile } from "node:fs/promises";
import { expect, expectAccessible, expectNoSideways, test, tried } from "./test";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1440, 390]) {
    if (!tried(colorScheme, width)) continue;
    test(`everybody can use the GPU resources and their drawer, ${colorScheme}, ${width}`, async ({ page, open }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await open("/gpus", "auditor");
      await expect(page.getByRole("row", { name: /0000:01:00\.0.*render-1/ })).toBeVisible();
      await expectAccessible(page);
      await expectNoSideways(page);
      await page.goto("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
      await expect(page.getByText("hostpci0: mapping=rtx-3090,pcie=1").first()).toBeVisible();
      await expect(page.locator(".drawer").getByText("device-shared")).toBeVisible();
      await expectAccessible(page);
      await expectNoSideways(page);
    });
  }
}

test("the keyboard searches, moves, opens and closes", async ({ page, open }) => {
  await open("/gpus");
  await expect(page.getByRole("row")).toHaveCount(13);
  await page.keyboard.press("/");
  await page.keyboard.type("3090");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/device=/);
  const drawer = page.getByRole("complementary");
  await expect(drawer).toContainText("VM 100 (render-1) and VM 101 (render-2) name this device in hostpci0.");
  await page.keyboard.press("ArrowDown");
  await expect(drawer).toContainText("golden-gpu");
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(page).not.toHaveURL(/device=/);
});

test("filters stay in the address, and a search without a hit offers a way on", async ({ page, open }) => {
  await open("/gpus?node=pve-b&state=referenced");
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row", { name: /Tesla P4/ })).toContainText("vdi-1");
  await page.getByRole("searchbox", { name: "Search devices" }).fill("no such thing");
  await expect(page.getByText("No device matches")).toBeVisible();
  await page.getByRole("button", { name: "Clear search and state" }).click();
  await expect(page.getByRole("row")).toHaveCount(5);
});

test("the drawer tells the virtual functions, and what was not told as such", async ({ page, open }) => {
  await open("/gpus?node=pve-a&device=0000:00:02.0");
  const drawer = page.getByRole("complementary");
  await expect(drawer).toContainText("No reference found in 5 of 5 visible VMs. This does not mean it can be assigned.");
  await expect(drawer).toContainText("not told: needs host mode on pve-a");
  await drawer.getByRole("button", { name: "0000:00:02.1" }).click();
  await expect(drawer).toContainText("VM 103 (win11-cad) still names it in hostpci1 until a full stop");
});

test("a read that fails is told with its request, and Retry reads again", async ({ page, open }) => {
  let broken = true;
  await page.route(/\/api\/v1\/clusters\/lab\/nodes$/, (route) => broken
    ? route.fulfill({ status: 502, contentType: "application/problem+json", json: { code: "cluster_unreachable", status: 502, title: "", detail: "No entry node answers.", request_id: "r-4711" } })
    : route.continue());
  await open("/gpus");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("r-4711");
  broken = false;
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("row", { name: /0000:01:00\.0.*render-1/ })).toBeVisible();
});

test("a refresh that fails clears the list", async ({ page, open }) => {
  await open("/gpus?node=pve-c");
  await expect(page.getByRole("row", { name: /ASPEED/ })).toBeVisible();
  await page.route(/\/nodes\/pve-c\?/, (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("button", { name: "Retry pve-c" })).toBeVisible();
  await expect(page.getByRole("row", { name: /ASPEED/ })).toBeHidden();
});

test("old data say so after 90 s", async ({ page, open }) => {
  await page.clock.install();
  await open("/gpus");
  await expect(page.getByRole("row")).toHaveCount(13);
  await page.clock.fastForward(120_000);
  await expect(page.getByText("Configurations may have changed since.")).toBeVisible();
});

test("what is on the screen can be saved", async ({ page, open }) => {
  await open("/gpus?state=multi_referenced");
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("button", { name: "Export" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  const file = await readFile(await (await waiting).path(), "utf8");
  expect(file.trim().split("\r\n")).toHaveLength(3);
  expect(file).toContain("100:hostpci0:current:rtx-3090:exact");
});

for (const [locale, word] of [["zh-CN", "待核查"], ["ru", "Требует проверки"]] as const) {
  test.describe(locale, () => {
    test.use({ locale });
    test("speaks the language, also of issues", async ({ page, open }) => {
      await open("/gpus?node=pve-a&device=0000:03:00.0");
      const drawer = page.getByRole("complementary");
      await expect(drawer).toContainText(word);
      await expect(drawer).toContainText("rtx-4090-pool");
      await expect(drawer).not.toContainText("may give this device");
    });
  });
}
