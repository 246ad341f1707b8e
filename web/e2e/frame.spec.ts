import { expect, expectAccessible, test } from "./test";

test("the cluster of the address is the chosen one", async ({ page, open }) => {
  await open("/no-such-page?cluster=lab");
  await expect(page.getByRole("combobox", { name: "Cluster" })).toHaveValue("lab");
});

test("the navigation folds and stays folded", async ({ page, open }) => {
  await open("/no-such-page");
  const nav = page.getByRole("navigation");
  await expect(nav).toHaveCSS("width", "208px");
  await page.getByRole("button", { name: "Fold" }).click();
  await expect(nav).toHaveCSS("width", "56px");
  await page.reload();
  await expect(nav).toHaveCSS("width", "56px");
});

test("on a telephone the menu holds what the header has no room for", async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/no-such-page", "operator");
  await page.getByRole("button", { name: "Pages" }).click();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  await expectAccessible(page);
  const small = await page.locator("nav button:visible, nav a:visible, header button:visible, nav select:visible").evaluateAll(
    (targets) => targets.filter((target) => target.getBoundingClientRect().height < 44).map((target) => target.outerHTML),
  );
  expect(small).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Sign out" })).toBeHidden();
});

test("the address of an operation that is not there is no page", async ({ page }) => {
  const answer = await page.request.get("/api/v1/nope");
  expect(answer.status()).toBe(404);
  expect(answer.headers()["content-type"]).toContain("application/problem+json");
});

test("the page keeps to its policy and is not kept too long", async ({ page }) => {
  const answer = await page.goto("/sign-in");
  const headers = answer?.headers() ?? {};
  expect(headers["cache-control"]).toBe("no-cache");
  const nonce = /'nonce-([\w-]+)'/.exec(headers["content-security-policy"] ?? "")?.[1];
  expect(await answer?.text()).toContain(`nonce="${String(nonce)}"`);
});
