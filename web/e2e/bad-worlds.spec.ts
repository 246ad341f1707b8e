import type { Page } from "@playwright/test";
import { expect, expectNoSideways } from "./test";
import { test } from "./worlds";

const markup = "<img src=x onerror=alert(1)>";
const longVM = `${"vm-".repeat(65)}-last`;
const longNode = `node-${"x".repeat(54)}-end`;
const longMapping = `m${"_mapping".repeat(25).slice(0, 199)}`;

/** Each page of the world of names, and what stands there as it is. */
const pages: readonly [string, readonly string[]][] = [
  ["/", [longNode, "constructor", "0"]],
  ["/gpus", [longVM, longNode, "toString", longMapping]],
  ["/gpus?node=constructor&device=0000:01:00.0", ["102", "toString", "constructor"]],
  [`/gpus?node=${longNode}&device=0000:01:00.0`, [`romfile=${markup}.rom`, longMapping]],
  ["/gpus?node=constructor&device=0000:02:00.0", [markup]],
  ["/vms", [longVM, "constructor", "toString"]],
  ["/findings", [longNode]],
];

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
}

for (const width of [1440, 390]) {
  test(`names at the limits of Proxmox VE stand as they are, ${width}`, async ({ page, open, cluster }) => {
    test.setTimeout(180_000);
    page.on("dialog", () => { throw new Error("a script in a name has run"); });
    await page.setViewportSize({ width, height: 844 });
    const { name } = await cluster("names");
    await open(`/clusters?cluster=${name}`);
    for (const [path, texts] of pages) {
      await test.step(path, async () => {
        await page.goto(`${path}${path.includes("?") ? "&" : "?"}cluster=${name}`);
        await settled(page);
        for (const text of texts) await expect(page.locator("#root")).toContainText(text);
        await expect(page.locator("#root img[src]")).toHaveCount(0);
        await expectNoSideways(page);
      });
    }
    for (const vmid of [100, 101, 102, 104, 105]) {
      await test.step(`VM ${vmid}`, async () => {
        await page.goto(`/vms/${name}/${vmid}?cluster=${name}`);
        await settled(page);
        await expect(page.getByRole("main")).toContainText("hostpci0");
        await expect(page.locator("#root img[src]")).toHaveCount(0);
        await expectNoSideways(page);
      });
    }
  });
}

test("a node that is removed while it is selected is said, and all others are one press away", async ({ page, open, cluster }) => {
  const lab = await cluster("demo");
  await open(`/gpus?cluster=${lab.name}&node=pve-a&device=0000:01:00.0`);
  await expect(page.getByRole("complementary")).toContainText("render-1");
  await settled(page);
  await lab.removeNode("pve-a");
  await expect(async () => {
    await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click();
    await expect(page.getByRole("main")).toContainText("There is no such node in this cluster", { timeout: 5_000 });
  }).toPass();
  await expect(page.getByRole("complementary").getByRole("alert")).toContainText("There is no node with this name in cluster");
  await expect(page.getByText("render-1")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.getByRole("main").getByRole("button", { name: "All nodes" }).click();
  await expect(page.getByRole("row", { name: /0000:03:00\.0.*pve-c/ })).toBeVisible();
  await expect(page).not.toHaveURL(/node=/);
});

test("a cluster without display devices and VMs is said to have none", async ({ page, open, cluster }) => {
  const { name } = await cluster("empty");
  await open(`/gpus?cluster=${name}`);
  await settled(page);
  await expect(page.getByRole("main").locator(".empty")).toContainText("No display devices or accelerators on this node");
  await page.goto(`/?cluster=${name}`);
  await settled(page);
  await expect(page.getByRole("region", { name: "pve" })).toContainText("No display devices or accelerators on this node");
  await page.goto(`/vms?cluster=${name}`);
  await settled(page);
  await expect(page.getByRole("main").locator(".empty")).toContainText("No VM passes a device through");
  await page.goto(`/findings?cluster=${name}`);
  await settled(page);
  await expect(page.getByRole("main").locator(".empty")).toContainText("No findings");
});

test("of a token that sees no VM nothing is concluded", async ({ page, open, cluster }) => {
  const { name } = await cluster("no-vms-seen");
  for (const path of ["/gpus", "/vms", "/"]) {
    await test.step(path, async () => {
      await open(`${path}?cluster=${name}`);
      await settled(page);
      const scope = page.locator(".scope.incomplete");
      await expect(scope).toContainText("0 of 0 visible VMs checked");
      await scope.getByRole("button").first().click();
      await expect(page.getByRole("dialog")).toContainText("VM.Audit");
      await page.keyboard.press("Escape");
    });
  }
});
