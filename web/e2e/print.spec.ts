import type { Page } from "@playwright/test";
import { expect, expectNoSideways, test } from "./test";

/** How many sheets of paper a page takes; printing tells the page before and after, as in a window. */
async function sheetsOf(page: Page): Promise<number> {
  const file = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  return [...file.matchAll(/\/Type\s*\/Page\b(?!s)/g)].length;
}

/** Black on white, with a head of its own, and nothing of the frame or to press. */
async function expectDocument(page: Page, head: RegExp, width = 1032): Promise<void> {
  await page.setViewportSize({ width, height: 730 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.locator(".printhead:visible")).toHaveText(head);
  await expect(page.locator("header:visible, nav:visible, .filters:visible, button.btn:visible")).toHaveCount(0);
  const colours = await page.evaluate(() => {
    const seen = [...document.querySelectorAll<HTMLElement>(".main, .main *")].filter((element) => element.checkVisibility());
    const grounds = new Set(seen.map((element) => getComputedStyle(element).backgroundColor));
    const texts = new Set(seen.filter((element) => element.textContent !== "").map((element) => getComputedStyle(element).color));
    return { page: getComputedStyle(document.body).backgroundColor, grounds: [...grounds], texts: [...texts] };
  });
  expect(colours.page).toBe("rgb(255, 255, 255)");
  expect(colours.grounds.filter((colour) => colour !== "rgba(0, 0, 0, 0)" && colour !== "rgb(255, 255, 255)")).toEqual([]);
  expect(colours.texts.filter((colour) => colour !== "rgb(0, 0, 0)" && colour !== "rgb(51, 51, 51)")).toEqual([]);
  await expectNoSideways(page);
}

test("GPU resources print with their scope, all columns, what was not read and the open drawer", async ({ page, open }) => {
  await open("/gpus?cluster=lab&device=pve-a/0000:01:00.0");
  await expect(page.getByText("hostpci0: mapping=rtx-3090,pcie=1").first()).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
  await expectDocument(page, /pciatlas · GPU resources · lab.*read /, 1240);
  await expect(page.locator(".scope")).toContainText("VM 203 has custom arguments");
  for (const head of ["State", "Device", "Referenced by", "Via", "Group", "Notes"]) await expect(page.getByRole("columnheader", { name: head })).toBeVisible();
  await expect(page.getByText("0000:01:00.0 · VGA controller · pve-a").first()).toBeVisible();
  await expect(page.locator(".unreadrow")).toContainText("pve-d");
  await expect(page.locator(".drawer")).toHaveCSS("position", "static");
  await expect(page.locator(".drawer")).toContainText("VM 100 (render-1) and VM 101 (render-2) name this device in hostpci0.");
  expect(await sheetsOf(page)).toBeGreaterThanOrEqual(2);
});

test("what was filtered stands on paper", async ({ page, open }) => {
  await open("/gpus?cluster=lab&node=pve-a&state=needs_review&q=4090");
  await expect(page.getByRole("row")).toHaveCount(3);
  await expectDocument(page, /pve-a.*Needs review.*4090/);
});

test("a table of which a part is in sight prints whole", async ({ page, open }) => {
  const many = 400;
  await page.route(/\/nodes\/pve-a\?/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json() as { devices: { address: string }[] };
    const first = body.devices.find((device) => device.address === "0000:02:00.0");
    body.devices = Array.from({ length: many }, (_, at) => ({ ...first, address: `0000:${(at % 256).toString(16).padStart(2, "0")}:0${String(Math.floor(at / 256))}.0` }));
    await route.fulfill({ response: answer, json: body });
  });
  await page.addInitScript(() => {
    window.addEventListener("afterprint", () => { document.documentElement.dataset["printed"] = String(document.querySelectorAll("tbody tr[data-index]").length); });
  });
  await open("/gpus?cluster=lab&node=pve-a");
  await expect(page.getByText(`${String(many)} devices`)).toBeVisible();
  expect(await page.locator("tbody tr[data-index]").count()).toBeLessThan(many);
  // A sheet has room for fewer than 25 rows.
  expect(await sheetsOf(page)).toBeGreaterThan(many / 25);
  await expect(page.locator("html")).toHaveAttribute("data-printed", String(many));
});

test("a drawer that lies over the page prints after it, and lies over it again", async ({ page, open }) => {
  await page.setViewportSize({ width: 1024, height: 800 });
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  await expect(page.locator("dialog.drawer")).toContainText("References");
  await page.evaluate(() => { window.addEventListener("beforeprint", () => { document.documentElement.dataset["printing"] = String(document.querySelector("dialog.drawer")?.matches(":modal")); }); });
  await sheetsOf(page);
  await expect(page.locator("html")).toHaveAttribute("data-printing", "false");
  expect(await page.locator("dialog.drawer").evaluate((element) => element.matches(":modal"))).toBe(true);
});

for (const [path, words, head] of [
  ["/vms?cluster=lab", "render-1", /pciatlas · VMs · lab · read /],
  ["/vms/lab/103?cluster=lab", "hostpci2: 0000:07:00.0,pcie=1", /pciatlas · VM 103 · lab · read /],
  ["/findings?cluster=lab", "lspci -nnD", /pciatlas · Findings · lab · read /],
  ["/desktops?cluster=lab", "Render farm 1", /pciatlas · Desktops/],
] as const) {
  test(`${path} prints well`, async ({ page, open }) => {
    await open(path);
    await expect(page.locator(".skel")).toHaveCount(0);
    await expect(page.getByRole("main").getByText(words).first()).toBeAttached();
    await expectDocument(page, head);
    await expect(page.getByRole("main").getByText(words).first()).toBeVisible();
  });
}
