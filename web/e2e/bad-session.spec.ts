import { demoPassword, expect, test } from "./test";

const device = "/gpus?cluster=lab&node=pve-a&device=0000:01:00.0";

/** What an address shows, however it is escaped. */
function shown(address: string): [string, Record<string, string>] {
  const { pathname, searchParams } = new URL(address);
  return [pathname, Object.fromEntries(searchParams)];
}

test("a session that ends at a refresh leads back to the filters and the open drawer", async ({ page, open, context }) => {
  await open(device);
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
  await expect(page.locator(".skel")).toHaveCount(0);
  const before = page.url();
  await context.clearCookies();
  await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click();
  await expect(page).toHaveURL(/\/sign-in\?back=/);
  await expect(page.getByText("render-1")).toHaveCount(0);
  await page.getByRole("button", { name: "admin" }).click();
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
  expect(shown(page.url())).toEqual(shown(before));
});

test("whoever signs in again with fewer rights lands in the same place, without what he may not do", async ({ page, open, context }) => {
  await open("/desktops?cluster=lab");
  await expect(page.getByRole("button", { name: "Add desktop" })).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
  await context.clearCookies();
  await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("button", { name: "auditor" }).click();
  await expect(page).toHaveURL(/\/desktops\?cluster=lab$/);
  await expect(page.getByRole("row", { name: /Render farm 1/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Add desktop" })).toHaveCount(0);
});

test("a form that was sent after the end of the session keeps what was typed, until one has signed in again", async ({ page, open, context, baseURL }) => {
  await open("/desktops?cluster=lab", "operator");
  await page.getByRole("button", { name: "Add desktop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("VMID").fill("7772");
  await dialog.getByLabel("Desktop").fill("Kept");
  await context.clearCookies();
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Nothing that you typed is lost.");
  const [tab] = await Promise.all([context.waitForEvent("page"), dialog.getByRole("link", { name: "Sign in in a new tab" }).click()]);
  await tab.getByRole("button", { name: "operator" }).click();
  await expect(tab.getByRole("button", { name: /^Account operator/ })).toBeVisible();
  await expect(dialog.getByLabel("Desktop")).toHaveValue("Kept");
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("row", { name: /Kept/ })).toBeVisible();
  expect((await page.request.delete("/api/v1/clusters/lab/desktops/7772", { headers: { Origin: baseURL ?? "" } })).status()).toBe(204);
});

test("signing out in one tab empties the others, and signing in brings them back", async ({ page, signIn, context }) => {
  await signIn("admin");
  await page.goto(device);
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
  const other = await context.newPage();
  await other.goto("/tokens");
  await other.getByRole("button", { name: /^Account admin/ }).click();
  await other.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in\?back=/);
  await expect(page.getByText("0000:01:00.0")).toHaveCount(0);
  await other.getByRole("button", { name: "auditor" }).click();
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
  await expect(page.getByRole("button", { name: /^Account auditor/ })).toBeVisible();
});

test("a sign-out that did not arrive is said", async ({ page, signIn }) => {
  await signIn("admin");
  await page.goto("/tokens");
  await page.route("**/api/v1/session", (route) => (route.request().method() === "DELETE" ? route.abort("connectionrefused") : route.continue()));
  await page.getByRole("button", { name: /^Account admin/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("You may still be signed in");
  await page.unroute("**/api/v1/session");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  expect((await page.request.get("/api/v1/session")).status()).toBe(401);
});

test("a role that was taken away in between is said, and an account that is gone too", async ({ page, playwright, baseURL }) => {
  const origin = baseURL ?? "";
  const boss = await playwright.request.newContext({ baseURL: origin, extraHTTPHeaders: { Origin: origin } });
  await boss.post("/api/v1/session", { data: { name: "admin", password: demoPassword } });
  const password = "a long new password";
  expect((await boss.post("/api/v1/administrators", { data: { name: "h-lowered", role: "operator", password } })).ok()).toBe(true);
  const signIn = () => page.request.post("/api/v1/session", { data: { name: "h-lowered", password }, headers: { Origin: origin } });
  expect((await signIn()).status()).toBe(200);
  await page.goto("/desktops?cluster=lab");
  await page.getByRole("button", { name: "Add desktop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("VMID").fill("7773");
  await dialog.getByLabel("Desktop").fill("Not allowed");
  expect((await boss.patch("/api/v1/administrators/h-lowered", { data: { role: "auditor" } })).ok()).toBe(true);
  expect((await signIn()).status()).toBe(200);
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await expect(dialog.getByRole("alert")).toContainText("This needs the role operator; yours is auditor.");
  await expect(dialog.getByLabel("Desktop")).toHaveValue("Not allowed");
  await page.keyboard.press("Escape");
  expect((await boss.delete("/api/v1/administrators/h-lowered")).ok()).toBe(true);
  await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click();
  await expect(page).toHaveURL(/\/sign-in\?back=/);
  await boss.dispose();
});
