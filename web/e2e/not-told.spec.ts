import { alter, breakable } from "./fault";
import { expect, test } from "./test";

// What was not read is no number, and what is missing from a number stands beside it.

test("where no node was read, no state has a number", async ({ page, open }) => {
  for (const [what, path] of [[/\/clusters\/lab\/nodes$/, "/"], [/\/clusters\/lab\/nodes$/, "/gpus"], [/\/nodes\/pve-\w\?/, "/"], [/\/nodes\/pve-\w\?/, "/gpus"]] as const) {
    const fault = await breakable(page, what);
    fault.broken = "7e57";
    await open(path);
    const main = page.locator("#main");
    await expect(main.getByText(/request 7e57/).first()).toBeVisible();
    await expect(main.locator(".skel")).toHaveCount(0);
    for (const number of await main.locator(path === "/" ? ".counter b" : ".filters .seg .n").all()) await expect(number).toHaveText("–");
    await expect(main.getByText("0 devices", { exact: true })).toHaveCount(0);
    await page.unroute(what);
  }
});

test("one node that failed tells its request, and no number of devices", async ({ page, open }) => {
  const fault = await breakable(page, /\/nodes\/pve-a\?/);
  fault.broken = "7e57";
  await open("/gpus?node=pve-a");
  const main = page.locator("#main");
  await expect(main.locator(".unreadrow")).toContainText(/pve-a Not read: Broken on purpose\..*internal_error · request 7e57 · tried/);
  await expect(main.locator(".filters .seg .n").first()).toHaveText("–");
  await expect(main.locator(".foot")).toHaveCount(0);
});

test("of a node that the cluster does not have nothing is counted", async ({ page, open }) => {
  await open("/gpus?node=nope");
  const main = page.locator("#main");
  await expect(main).toContainText("There is no such node in this cluster");
  await expect(main.locator(".filters .seg .n").first()).toHaveText("–");
  await expect(main.locator(".scope")).toHaveCount(0);
});

test("before the clusters are known nobody says that there is no node", async ({ page, open }) => {
  await page.route(/\/api\/v1\/clusters$/, () => undefined);
  const asked = page.waitForRequest(/\/api\/v1\/clusters$/);
  await open("/sign-in");
  await page.goto("/gpus");
  await asked;
  await expect(page.locator(".skelrows")).toBeVisible();
  await expect(page.locator("#main")).not.toContainText("tells of no node");
});

test("a cluster that failed is named wherever it is missing", async ({ page, open }) => {
  const fault = await breakable(page, /\/clusters\/office\//);
  fault.broken = "7e57";
  await open("/?cluster=*");
  const main = page.locator("#main");
  await expect(main.locator(".failed").first()).toContainText("office: Broken on purpose.");
  await expect(main.locator(".head .sub")).toContainText("not read: office");
  await expect(main.getByRole("region", { name: "office", exact: true })).toContainText("No node of cluster office is known");
  for (const name of ["Capacity by model", "Capacity by cluster"]) {
    await expect(main.getByRole("table", { name }).getByRole("row").last()).toContainText("not read: office");
  }
  await expect(main.getByRole("table", { name: "Capacity by cluster" }).getByRole("row", { name: /^office/ })).toContainText("not read");
  // Beside the error stand the findings of the others.
  await expect(main.locator(".flist > li").first()).toBeVisible();
  for (const path of ["/gpus?cluster=*", "/vms?cluster=*", "/findings?cluster=*", "/mappings?cluster=*", "/desktops?cluster=*"]) {
    await open(path);
    await expect(main.locator(".failed").first()).toContainText("office: Broken on purpose.");
  }
});

test("a search for nothing leaves the filters as they are", async ({ page, open }) => {
  await open("/gpus?node=pve-a&state=referenced&q=3090");
  const box = page.getByRole("banner").getByRole("textbox");
  await expect(box).toHaveValue("3090");
  await box.fill("");
  await box.press("Enter");
  await expect(page).not.toHaveURL(/q=/);
  await expect(page).toHaveURL(/node=pve-a/);
  await expect(page).toHaveURL(/state=referenced/);
});

test("where no node is known, having no findings proves nothing", async ({ page, open }) => {
  await alter(page, [{ what: /\/lab\/findings$/, answer: (said) => ({ ...said, nodes: [], findings: [] }) }]);
  await open("/findings");
  await expect(page.locator("#main")).toContainText("This does not mean that nothing is wrong");
  await expect(page.locator("#main")).not.toContainText("Everything was visible and read");
});

test("a list of nodes that is empty because it came short gives no zeros", async ({ page, open }) => {
  await alter(page, [{ what: /\/clusters\/lab\/nodes$/, answer: (said) => ({ ...said, complete: false, problem: "Cut on purpose.", nodes: [] }) }]);
  for (const [path, numbers] of [["/", ".counter b"], ["/gpus", ".filters .seg .n"]] as const) {
    await open(path);
    const main = page.locator("#main");
    await expect(main).toContainText("Cut on purpose.");
    for (const number of await main.locator(numbers).all()) await expect(number).toHaveText("–");
    await expect(main).not.toContainText("tells of no node");
  }
});
