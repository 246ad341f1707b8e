import { nodeAddress } from "./bad";
import { expect, test } from "./test";

const table = "GPU resources";

test("a server that is gone at the first load is said, and Retry opens the page", async ({ page, open }) => {
  await open("/sign-in");
  await page.route("**/api/**", (route) => route.abort("connectionrefused"));
  await page.goto("/gpus?cluster=lab");
  await expect(page.getByRole("alert")).toContainText("The server does not answer");
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("table", { name: table })).toContainText("render-1");
});

test("a server that is gone at a refresh takes the old list along, and is read again when it is back", async ({ page, open }) => {
  await open("/gpus?cluster=lab");
  const row = page.getByRole("table", { name: table }).getByRole("row", { name: /0000:01:00\.0.*render-1/ });
  await expect(row).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
  await page.route("**/api/**", (route) => route.abort("connectionrefused"));
  await page.getByRole("banner").getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("alert").first()).toContainText("The server does not answer");
  await expect(page.getByText("render-1")).toHaveCount(0);
  await expect(page.getByRole("banner")).not.toContainText(/read \d/);
  await page.unroute("**/api/**");
  await page.getByRole("main").getByRole("button", { name: "Retry" }).first().click();
  await expect(row).toBeVisible();
});

test("of a form that was sent to a server that is gone nobody claims to know, and what was typed stays", async ({ page, open }) => {
  await open("/desktops?cluster=lab", "operator");
  await page.getByRole("button", { name: "Add desktop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("VMID").fill("7771");
  await dialog.getByLabel("Desktop").fill("Gone in between");
  const put = "**/api/v1/clusters/lab/desktops/7771";
  // It arrives, and the answer does not.
  await page.route(put, async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await expect(dialog.getByRole("alert")).toContainText(/does not answer.*not known whether this was done/);
  await expect(dialog.getByLabel("Desktop")).toHaveValue("Gone in between");
  // The list behind it is read again, and shows that it was done.
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row", { name: /Gone in between/ })).toBeVisible();
  await page.unroute(put);
  const answer = await page.request.delete("/api/v1/clusters/lab/desktops/7771", { headers: { Origin: new URL(page.url()).origin } });
  expect(answer.status()).toBe(204);
});

test("an answer that never ends is given up, and said", async ({ page, open }) => {
  await page.clock.install();
  await page.route("**/api/v1/clusters/lab/findings", () => undefined);
  const asked = page.waitForRequest("**/api/v1/clusters/lab/findings");
  await open("/findings?cluster=lab");
  await asked;
  await expect(page.locator(".skel").first()).toBeVisible();
  await expect(page.getByRole("group", { name: "Severity" }).getByRole("button").first()).toHaveText("All –");
  await page.clock.fastForward(101_000);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The answer took too long");
  await page.unroute("**/api/v1/clusters/lab/findings");
  await page.getByRole("main").getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("button", { name: "device-not-present" }).first()).toBeVisible();
});

test("a node that is slow keeps no other waiting, and a part is not taken for the whole", async ({ page, open }) => {
  let release = (): void => undefined;
  const held = new Promise<void>((done) => { release = done; });
  await page.route(nodeAddress("pve-a"), async (route) => {
    await held;
    await route.continue();
  });
  await open("/gpus?cluster=lab");
  const rows = page.getByRole("table", { name: table });
  await expect(rows.getByRole("row", { name: /0000:03:00\.0.*pve-c/ })).toBeVisible();
  await expect(page.locator(".scope")).toContainText(/\d of \d/);
  await expect(page.locator(".skel").first()).toBeVisible();
  await expect(page.getByText(/\d+ devices?\b/)).toHaveCount(0);
  release();
  await expect(rows.getByRole("row", { name: /0000:01:00\.0.*pve-a/ })).toBeVisible();
  await expect(page.locator(".skel")).toHaveCount(0);
});

test("an answer that comes after one has gone elsewhere changes nothing", async ({ page, open }) => {
  await page.route("**/api/v1/clusters", async (route) => {
    const response = await route.fetch();
    const { clusters } = await response.json() as { clusters: { name: string }[] };
    await route.fulfill({ response, json: { clusters: [...clusters, { ...clusters[0], name: "other" }] } });
  });
  await page.route("**/api/v1/clusters/other/nodes", async (route) => {
    const response = await route.fetch({ url: route.request().url().replace("/other/", "/lab/") });
    await route.fulfill({ response, json: { ...(await response.json() as object), cluster: "other", nodes: [] } });
  });
  let release = (): void => undefined;
  const held = new Promise<void>((done) => { release = done; });
  await page.route("**/api/v1/clusters/lab/nodes", async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  const given = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/clusters/lab/nodes"));
  await open("/gpus?cluster=lab");
  await page.getByRole("banner").getByRole("combobox", { name: "Cluster" }).selectOption("other");
  await given;
  release();
  await expect(page).toHaveURL(/cluster=other/);
  await expect(page.getByRole("main")).toContainText("The cluster tells of no node.");
  await expect(page.getByText("render-1")).toHaveCount(0);
});

test("while nobody has said who is signed in, it is shown where everything will stand", async ({ page, open }) => {
  let release = (): void => undefined;
  const held = new Promise<void>((done) => { release = done; });
  await page.route("**/api/v1/session", async (route) => {
    await held;
    await route.continue();
  });
  await open("/gpus?cluster=lab");
  await expect(page.getByRole("main").locator(".skel").first()).toBeVisible();
  await expect(page.getByRole("banner")).toContainText("pciatlas");
  await expect(page.getByRole("table", { name: table })).toHaveCount(0);
  release();
  await expect(page.getByRole("table", { name: table })).toContainText("render-1");
  await expect(page.getByRole("banner").getByRole("button", { name: /^Account admin/ })).toBeVisible();
});
