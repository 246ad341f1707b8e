import { expect, expectAccessible, test, type Account } from "./test";

const accounts: Account[] = ["admin", "operator", "auditor"];

for (const account of accounts) {
  test(`${account} signs in with one press`, async ({ page }) => {
    await page.goto("/sign-in");
    await page.getByRole("button", { name: account, exact: true }).click();
    await expect(page.getByRole("button", { name: `Account ${account}` })).toBeVisible();
    await expect(page).toHaveURL(/\/(?:\?.*)?$/);
  });
}

test("the demo's administrator is filled in", async ({ page }) => {
  await page.goto("/sign-in");
  await expect(page.getByLabel("Name")).toHaveValue("admin");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("button", { name: /^Account admin, Administrator/ })).toBeVisible();
});

test("a wrong password is refused, with the request to quote", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByLabel("Name").fill("nobody-e2e");
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText(/wrong.*request \w+/i);
  await expect(page.getByLabel("Name")).toHaveValue("nobody-e2e");
});

test("whoever is not signed in comes back to where he wanted to go", async ({ page }) => {
  await page.goto("/audit?cluster=lab");
  await expect(page).toHaveURL(/\/sign-in\?back=/);
  await page.getByRole("button", { name: "auditor" }).click();
  await expect(page).toHaveURL(/\/audit\?cluster=lab$/);
});

test("a link to another site is not followed", async ({ page, baseURL }) => {
  await page.goto("/sign-in?back=//evil.example/");
  await page.getByRole("button", { name: "auditor" }).click();
  await expect(page.getByRole("button", { name: /^Account/ })).toBeVisible();
  expect(new URL(page.url()).origin).toBe(baseURL);
});

test("a session that ends in the middle leads to the sign-in page and back", async ({ page, open, context }) => {
  await open("/audit?cluster=lab", "operator");
  await expect(page.getByRole("table")).toBeVisible();
  await context.clearCookies();
  // The console may have noticed before the button is reached.
  await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click({ timeout: 5_000 }).catch(() => undefined);
  await expect(page).toHaveURL(/\/sign-in\?back=/);
  await page.getByRole("button", { name: "operator" }).click();
  await expect(page).toHaveURL(/\/audit\?cluster=lab$/);
});

test("signing out ends the session", async ({ page, signIn }) => {
  await signIn("admin");
  await page.goto("/?cluster=lab");
  await page.getByRole("button", { name: /^Account admin/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  expect((await page.request.get("/api/v1/session")).status()).toBe(401);
  await page.goBack();
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a wrong current password does not change it", async ({ page, open }) => {
  await open("/", "auditor");
  await page.getByRole("button", { name: /^Account auditor/ }).click();
  await page.getByRole("menuitem", { name: "Change password" }).click();
  await expectAccessible(page);
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill("a long new password");
  await page.getByRole("dialog").getByRole("button", { name: "Change password" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Account auditor/ })).toBeFocused();
});

test("the language stays", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: /^Language/ }).click();
  await page.getByRole("menuitemradio", { name: "Русский" }).click();
  await expect(page.getByRole("heading", { name: "Вход" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Вход" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ru");
});

test("only the language of the reader is loaded", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto("/sign-in");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(loaded.filter((path) => /\/(?:en|ru|zh-CN)-/.test(path))).toEqual([expect.stringMatching(/^\/assets\/en-/)]);
  expect(loaded.filter((path) => path.endsWith(".woff2"))).toEqual([]);
});

test.describe("a Chinese browser", () => {
  test.use({ locale: "zh-CN" });
  test("is answered in Chinese", async ({ page }) => {
    await page.goto("/sign-in");
    await expect(page.getByRole("heading", { name: "登录" })).toBeVisible();
  });
});

test("the theme stays, and the keyboard reaches it", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/sign-in");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.getByRole("button", { name: /^Colours/ }).press("Enter");
  await expect(page.getByRole("menuitemradio", { name: "As the system" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "Colours: Dark" })).toBeFocused();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("the system's theme is followed at once", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/sign-in");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

test("a server that does not answer is said, and asked again", async ({ page }) => {
  await page.route("**/api/v1/sign-in", (route) => route.abort());
  await page.goto("/sign-in");
  await expect(page.getByRole("alert")).toContainText("does not answer");
  await page.unroute("**/api/v1/sign-in");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByLabel("Name")).toBeVisible();
});

test("a set-up link whose token is wrong is refused and leaves no token in the address", async ({ page }) => {
  await page.goto("/setup#some-token");
  await expect(page.getByRole("heading", { name: "First set-up" })).toBeVisible();
  await expect(page).toHaveURL(/\/setup$/);
  await page.getByLabel("Name").fill("first");
  await page.getByLabel("Password").fill("a long new password");
  await page.getByRole("button", { name: "Make the administrator" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
});

test("the set-up page without a token says what is missing", async ({ page }) => {
  await page.goto("/setup");
  await expect(page.getByText("holds no set-up token")).toBeVisible();
});
