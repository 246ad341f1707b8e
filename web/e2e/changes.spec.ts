import type { Page } from "@playwright/test";
import { expect, test } from "./test";

/** A name that no other run has. */
function fresh(): string {
  return `e2e-${Date.now().toString(36)}`;
}

/** What the audit log tells about an object, newest first. */
async function expectAudit(page: Page, object: string, actions: readonly string[]): Promise<void> {
  await page.goto(`/audit?cluster=lab&object=${encodeURIComponent(object)}`);
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await expect(rows).toHaveCount(actions.length);
  for (const [at, action] of actions.entries()) await expect(rows.nth(at)).toContainText(action);
  await expect(rows.first()).toContainText("done");
}

test("an administrator is added, changed and removed, and the audit log tells it", async ({ page, open }) => {
  const name = fresh();
  await open("/administrators");
  await page.getByRole("button", { name: "Add administrator" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Password").fill("a long new password");
  await dialog.getByRole("button", { name: "Add administrator" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Add administrator" })).toBeFocused();
  const row = page.getByRole("row", { name: new RegExp(`^${name}`) });
  await expect(row).toContainText("Auditor");
  await expect(row).toContainText("never");
  await page.getByRole("button", { name: `Change ${name}` }).click();
  await dialog.getByLabel("Role").selectOption("operator");
  await expect(dialog).toContainText("Sees everything and changes desktops.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row).toContainText("Operator");
  await expect(page.getByRole("button", { name: `Change ${name}` })).toBeFocused();
  await page.getByRole("button", { name: `Remove ${name}` }).click();
  await expect(dialog).toContainText("The sessions and tokens of the account end at once.");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  await expectAudit(page, `administrator ${name}`, ["Removed administrator", "Changed administrator", "Added administrator"]);
  await page.getByText("Changed administrator").last().click();
  const entry = page.getByRole("complementary");
  await expect(entry).toContainText("administrator.update");
  await expect(entry).toContainText("before: auditor");
  await expect(entry).toContainText("after: operator");
  await expect(page).toHaveURL(/entry=\d+/);
});

test("a token is told once, works, and works no more when it is removed", async ({ page, open, request }) => {
  const name = fresh();
  await open("/tokens", "operator");
  await page.getByRole("button", { name: "Make token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Role").selectOption("operator");
  await dialog.getByRole("button", { name: "Make token" }).click();
  await expect(dialog).toContainText("This is the only time that the token is shown.");
  const secret = await dialog.getByText(/^pa_/).innerText();
  const used = async () => (await request.get("/api/v1/session", { headers: { Authorization: `Bearer ${secret}` } })).status();
  expect(await used()).toBe(200);
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  await page.reload();
  const row = page.getByRole("row", { name: new RegExp(`^${name}`) });
  await expect(row).toContainText("Operator");
  expect(await page.content()).not.toContain(secret);
  expect(await (await page.request.get("/api/v1/tokens")).text()).not.toContain(secret);
  await row.getByRole("button", { name: `Remove ${name}` }).click();
  await expect(dialog).toContainText("Programs that use it are refused at once.");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  expect(await used()).toBe(401);
  await page.goto("/audit?cluster=lab&actor=operator&action=token.delete");
  await expect(page.getByRole("table", { name: "Audit log" })).toContainText("Removed API token");
});

test("a desktop is registered, changed and removed, and the audit log tells it", async ({ page, open }) => {
  const vmid = String(900_000 + (Date.now() % 90_000));
  await open("/desktops", "operator");
  await page.getByRole("button", { name: "Add desktop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("VMID").fill(vmid);
  await dialog.getByLabel("Desktop").fill(`Seat ${vmid}`);
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  const row = page.getByRole("row", { name: new RegExp(vmid) });
  await expect(row).toContainText(`Seat ${vmid}`);
  await page.getByRole("button", { name: `Change Seat ${vmid}` }).click();
  await dialog.getByLabel("Note").fill("third floor");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("third floor");
  await page.getByRole("button", { name: `Remove Seat ${vmid}` }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  await page.goto("/audit?cluster=lab&action=desktop.delete");
  await expect(page.getByRole("table", { name: "Audit log" }).locator("tbody tr").filter({ hasText: vmid })).toContainText("operator");
});
