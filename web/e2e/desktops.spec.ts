import { readFile } from "node:fs/promises";
import { expect, test } from "./worlds";

test("all clusters together show the desktops of each, and one that cannot be read is said", async ({ page, open, cluster }) => {
  const other = await cluster("demo");
  await open("/desktops?cluster=*");
  const origin = new URL(page.url()).origin;
  const put = await page.request.put(`/api/v1/clusters/${other.name}/desktops/100`, { data: { name: "Twin of another cluster", note: "" }, headers: { Origin: origin } });
  expect(put.ok()).toBe(true);
  await page.getByRole("button", { name: "Refresh" }).click();
  const rows = page.getByRole("table", { name: "Desktops" }).getByRole("row");
  await expect(rows.filter({ hasText: "Twin of another cluster" })).toContainText(other.name);
  await expect(rows.filter({ hasText: "Render farm 1" })).toContainText("lab");
  await page.route(`**/api/v1/clusters/${other.name}/desktops`, (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(rows.filter({ hasText: "Twin of another cluster" })).toHaveCount(0);
  await expect(rows.filter({ hasText: "Render farm 1" })).toHaveCount(1);
  // What is saved now does not look whole.
  await page.getByRole("button", { name: "Export" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /JSON/ }).click();
  const file = await waiting;
  expect(file.suggestedFilename()).toBe("desktops-incomplete.json");
  expect(JSON.parse(await readFile(await file.path(), "utf8"))).toMatchObject({ complete: false, incomplete_because: [`${other.name}: not read`] });
});

test("a desktop is added to the cluster that is chosen, and each cluster has its own file", async ({ page, open, cluster }) => {
  const other = await cluster("demo");
  await open("/desktops?cluster=*", "operator");
  await page.getByRole("button", { name: "Add desktop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Cluster" }).selectOption(other.name);
  await dialog.getByLabel("VMID").fill("140");
  await dialog.getByLabel("Desktop", { exact: true }).fill("Only there");
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await expect(page.getByRole("row", { name: /Only there/ })).toContainText(other.name);
  await page.getByRole("button", { name: "Export" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: `CSV to import: ${other.name}` }).click();
  expect(await readFile(await (await waiting).path(), "utf8")).toContain("140,Only there");
});
