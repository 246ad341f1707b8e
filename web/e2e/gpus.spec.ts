import { readFile } from "node:fs/promises";
import { expect, test } from "./test";

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

test("a refresh that fails clears the list", async ({ page, open }) => {
  await open("/gpus?node=pve-c");
  await expect(page.getByRole("row", { name: /ASPEED/ })).toBeVisible();
  await page.route(/\/nodes\/pve-c\?/, (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("button", { name: "Retry pve-c" })).toBeVisible();
  await expect(page.getByRole("row", { name: /ASPEED/ })).toBeHidden();
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

test("nothing is counted and nothing can be saved while no node told anything", async ({ page, open }) => {
  for (const path of ["**/api/v1/clusters/lab/nodes", "**/api/v1/clusters/lab/nodes/*?class=all"]) {
    await page.route(path, (route) => route.fulfill({ status: 502, body: "<html>Bad gateway</html>", contentType: "text/html" }));
    await open("/gpus");
    await expect(page.getByRole("button", { name: "Retry" }).first()).toBeVisible();
    await expect(page.getByRole("group", { name: "State" }).getByRole("button").first()).toHaveText("All –");
    await expect(page.getByRole("button", { name: "Export" })).toBeHidden();
    await page.unroute(path);
  }
});
