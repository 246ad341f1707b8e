import { alter } from "./bad";
import { expect, test } from "./test";

const many = 10_000;

test("nothing at all is said on every page, with the next step", async ({ page, open }) => {
  await page.route("**/api/v1/clusters", (route) => route.fulfill({ json: { clusters: [] } }));
  await open("/no-such-page");
  for (const path of ["/", "/gpus", "/vms", "/findings", "/desktops", "/clusters"]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole("main").locator(".empty")).toContainText("No cluster is registered");
      await expect(page.getByRole("main").locator(".empty").getByRole("link").or(page.getByRole("main").getByRole("button", { name: /Add cluster/ })).first()).toBeVisible();
      await expect(page.locator(".skel")).toHaveCount(0);
    });
  }
});

test("a cluster without nodes, VMs, findings, desktops and entries is said to have none", async ({ page, open }) => {
  await alter<{ nodes: unknown[] }>(page, "**/api/v1/clusters/lab/nodes", (answer) => { answer.nodes = []; });
  await alter<{ desktops: unknown[] }>(page, "**/api/v1/clusters/lab/desktops", (answer) => { answer.desktops = []; });
  await alter<{ findings: unknown[] }>(page, "**/api/v1/clusters/lab/findings", (answer) => { answer.findings = []; });
  await alter<{ entries: unknown[]; next: null }>(page, "**/api/v1/audit?*", (answer) => { Object.assign(answer, { entries: [], next: null }); });
  await page.route("**/api/v1/tokens", (route) => route.fulfill({ json: { tokens: [] } }));
  await open("/no-such-page");
  const noNodes = "The cluster tells of no node.";
  const pages = {
    "/?cluster=lab": noNodes, "/gpus?cluster=lab": noNodes, "/vms?cluster=lab": noNodes, "/findings?cluster=lab": "No findings",
    "/desktops?cluster=lab": "No desktops are registered", "/audit": "No entries", "/tokens": "No tokens",
  };
  for (const [path, says] of Object.entries(pages)) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole("main").locator(".empty").first()).toContainText(says);
      await expect(page.locator(".skel")).toHaveCount(0);
    });
  }
});

interface Desktop { vmid: number; name: string }

test("10,000 desktops are drawn as they come into sight, and the last is found", async ({ page, open }) => {
  await alter<{ desktops: Desktop[] }>(page, "**/api/v1/clusters/lab/desktops", (answer) => {
    const [first] = answer.desktops;
    answer.desktops = Array.from({ length: many }, (_, index) => ({ ...first, vmid: 100 + index, name: `desk-${index}` }));
  });
  await open("/desktops?cluster=lab");
  const table = page.getByRole("table", { name: "Desktops" });
  await expect(table.getByRole("row", { name: /desk-0\b/ })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("10,000");
  expect(await table.getByRole("row").count()).toBeLessThan(200);
  await page.getByRole("main").getByRole("searchbox").fill("desk-9999");
  await expect(table.getByRole("row")).toHaveCount(2);
  await expect(table.getByRole("row", { name: /desk-9999/ })).toBeVisible();
});

test("10,000 VMs of one node are drawn as they come into sight, and the last is found", async ({ page, open }) => {
  await alter<{ vms: { vmid: number; name: string; node: string }[] }>(page, /\/clusters\/lab\/vms\?.*node=pve-a/, (answer) => {
    const [first] = answer.vms;
    if (first) answer.vms = Array.from({ length: many }, (_, index) => ({ ...first, vmid: 1000 + index, name: `vm-${index}` }));
  });
  await open("/vms?cluster=lab");
  const table = page.getByRole("table", { name: "VMs" });
  await expect(table.getByRole("row", { name: /vm-0\b/ })).toBeVisible();
  expect(await table.getByRole("row").count()).toBeLessThan(300);
  await page.getByRole("main").getByRole("searchbox").fill("vm-9999");
  await expect(table.getByRole("row")).toHaveCount(2);
});

test("10,000 entries of the audit log are drawn as they come into sight", async ({ page, open }) => {
  await alter<{ entries: { id: number; object: string }[]; next: null }>(page, "**/api/v1/audit?*", (answer) => {
    const [first] = answer.entries;
    if (first) answer.entries = Array.from({ length: many }, (_, index) => ({ ...first, id: many - index, object: `object ${many - index}` }));
    answer.next = null;
  });
  await open("/audit");
  const table = page.getByRole("table");
  await expect(table.getByRole("row", { name: /object 10000/ })).toBeVisible();
  expect(await table.getByRole("row").count()).toBeLessThan(200);
  await page.keyboard.press("End");
  await table.getByRole("row").nth(1).focus();
  await page.keyboard.press("End");
  await expect(table.getByRole("row", { name: /object 1\b/ })).toBeFocused();
});
