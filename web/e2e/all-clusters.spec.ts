import type { Page } from "@playwright/test";
import { alter, breakable } from "./fault";
import { expect, test } from "./test";

/** Shows the browser two clusters of which the second, east, is a copy of the first. */
async function serveTwo(page: Page): Promise<void> {
  await alter(page, [{
    what: /\/api\/v1\/clusters$/,
    answer: ({ clusters }) => {
      const lab = (clusters as { name: string }[]).find(({ name }) => name === "lab");
      return { clusters: [lab, { ...lab, name: "east" }] };
    },
  }]);
  await page.route(/\/clusters\/east\//, async (route) => {
    try {
      const response = await route.fetch({ url: route.request().url().replace("/clusters/east/", "/clusters/lab/") });
      await route.fulfill({ response, body: (await response.text()).replaceAll('"lab"', '"east"') });
    } catch {
      // The page that asked has been left; nobody waits for the answer.
    }
  });
}

test("all clusters stand below each other, each device with its own", async ({ page, open }) => {
  await serveTwo(page);
  await open("/?cluster=*");
  await expect(page.getByRole("combobox", { name: "Cluster" }).first()).toHaveValue("*");
  await expect(page.getByRole("heading", { name: "lab / pve-a" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "east / pve-a" })).toBeVisible();
  await expect(page.locator("a.tile")).toHaveCount(24);
  await expect(page.getByRole("button", { name: /Needs review/ })).toContainText("8");
  // A VM or node of one number or name is in both.
  for (const cluster of ["lab", "east"]) {
    await expect(page.getByRole("button", { name: `${cluster}: pve-d not reached` })).toBeVisible();
    await expect(page.locator(".flist").getByText(`${cluster} · pve-a · VM 120`).first()).toBeVisible();
  }
  await page.getByRole("button", { name: "lab: pve-d not reached" }).click();
  await expect(page.getByRole("dialog").getByRole("heading", { name: "east / pve-d" })).toBeVisible();
  await page.keyboard.press("Escape");
  const capacity = page.getByRole("table", { name: "Capacity by cluster" });
  await expect(capacity.getByRole("row", { name: /^east/ })).toContainText("12");
  await page.getByRole("combobox", { name: "Cluster" }).first().selectOption("lab");
  await expect(page).toHaveURL(/cluster=lab/);
  await expect(page.locator("a.tile")).toHaveCount(12);
  await expect(capacity).toHaveCount(0);
});

test("a device of another cluster opens from the list of all, and its link keeps the cluster", async ({ page, open }) => {
  await serveTwo(page);
  await open("/gpus?cluster=*&q=east");
  await page.goto("/gpus?cluster=*");
  const rows = page.getByRole("table", { name: "GPU resources" }).locator("tr[data-index]");
  await expect(rows).toHaveCount(24);
  await rows.filter({ hasText: "render-1" }).filter({ hasText: "east" }).first().click();
  await expect(page).toHaveURL(/device=east(?:%2F|\/)pve-a(?:%2F|\/)0000/);
  await expect(page.getByRole("complementary")).toContainText("VM 100 (render-1)");
  await page.reload();
  await expect(page.getByRole("complementary")).toContainText("VM 100 (render-1)");
});

test("a cluster that fails hides no other", async ({ page, open }) => {
  await serveTwo(page);
  const east = await breakable(page, /\/clusters\/east\//);
  east.broken = "r-east";
  for (const [path, told] of [["/", "a.tile"], ["/vms", "tr[data-index]"], ["/findings", ".fnds li"]] as const) {
    await open(`${path}?cluster=*`);
    const main = page.locator("#main");
    await expect(main.locator(".failed").filter({ hasText: "r-east" }).first()).toBeVisible();
    await expect(main.locator(told).first()).toBeVisible();
  }
});

test("VMs and findings of all clusters name their cluster", async ({ page, open }) => {
  await serveTwo(page);
  await open("/vms?cluster=*&q=llm");
  const rows = page.getByRole("table", { name: "VMs" }).locator("tr[data-index]");
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: "east" })).toHaveCount(1);
  await rows.filter({ hasText: "east" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/\/vms\/east\/110/);
  await page.goto("/findings?cluster=*&code=device-not-present");
  const findings = page.locator(".fnds > li");
  await expect(findings.filter({ hasText: "east" }).first()).toBeVisible();
  await expect(findings.filter({ hasText: "lab" }).first()).toBeVisible();
});
