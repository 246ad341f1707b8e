import { expect, expectAccessible, test } from "./test";

test("the filter of VMs is in the address, and a row leads to the VM and back", async ({ page, open }) => {
  await open("/vms?via=mapping");
  const rows = page.getByRole("table", { name: "VMs" }).getByRole("row");
  await expect(rows.filter({ hasText: "render-1" })).toBeVisible();
  await expect(rows.filter({ hasText: "router" })).toHaveCount(0);
  await page.getByRole("main").getByRole("searchbox").fill("llm");
  await expect(page).toHaveURL(/q=llm/);
  await expect(rows).toHaveCount(2);
  await rows.nth(1).press("Enter");
  await expect(page).toHaveURL(/\/vms\/lab\/110/);
  await page.goBack();
  await expect(page).toHaveURL(/q=llm/);
});

test("a VM whose configuration was not read is not counted among those with passthrough", async ({ page, open }) => {
  await open("/vms");
  await expect(page.getByRole("row", { name: /configuration not read/ })).toHaveCount(1);
  const rows = await page.locator("#main tbody tr[data-index]").count();
  await expect(page.locator(".head .sub")).toHaveText(`${String(rows - 1)} VMs with passthrough · 1 not read`);
});

test("a finding tells its evidence, its remedy and what its code means", async ({ page, open }) => {
  await open("/findings?code=device-not-present");
  await page.getByText("Evidence and remedy").click();
  await expect(page.getByText("lspci -nnD").first()).toBeVisible();
  await page.getByRole("button", { name: "device-not-present" }).click();
  await expect(page).toHaveURL(/about=device-not-present/);
  await expect(page.getByText("When it is found")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("When it is found")).toHaveCount(0);
});

test("the faults of an import stand with their lines, and nothing is imported", async ({ page, open }) => {
  await open("/desktops", "operator");
  await page.getByRole("button", { name: "Import CSV" }).click();
  await page.getByLabel("Content").fill("vmid,name\nxx,foo\n300,\n");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const faults = page.getByRole("list", { name: "Faults in the file" });
  await expect(faults).toContainText("Line 2");
  await expect(faults).toContainText("Line 3");
  await expectAccessible(page);
});

test("what the server refuses stands at its field", async ({ page, open }) => {
  await open("/administrators");
  await page.getByRole("button", { name: "Add administrator" }).click();
  await page.getByLabel("Name").fill("Not A Name");
  await page.getByRole("dialog").getByRole("button", { name: "Add administrator" }).click();
  await expect(page.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("a cluster is removed only after its name is typed", async ({ page, open }) => {
  await open("/clusters");
  await page.getByRole("button", { name: "Remove lab" }).click();
  const remove = page.getByRole("dialog").getByRole("button", { name: "Remove" });
  await expect(remove).toBeDisabled();
  await page.getByLabel("Type lab to confirm").fill("lab");
  await expect(remove).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the stored connection of a cluster is tested", async ({ page, open }) => {
  await open("/clusters");
  await page.getByRole("button", { name: "Test connection of lab" }).click();
  await expect(page.getByText("The connection works.")).toBeVisible();
  await expect(page.getByRole("dialog").getByText(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)).toBeVisible();
});

test("an entry of the audit log opens beside the list", async ({ page, open }) => {
  await open("/audit?action=cluster.create");
  await page.getByRole("table").getByText("Added cluster").first().click();
  await expect(page).toHaveURL(/entry=\d+/);
  await expect(page.getByRole("complementary").getByText("cluster.create")).toBeVisible();
});
