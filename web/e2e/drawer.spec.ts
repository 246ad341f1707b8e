import { readFile } from "node:fs/promises";
import type { components } from "../src/api/schema";
import { expect, test } from "./test";

type Schemas = components["schemas"];

const states = ["multi_referenced", "needs_review", "referenced", "unreferenced"] as const;
const words = { multi_referenced: "Several VMs", needs_review: "Needs review", referenced: "Referenced", unreferenced: "No reference found" };

test("counters, filters and tiles count what the server lists", async ({ page, open }) => {
  await open("/?cluster=lab");
  await expect(page.locator(".skel")).toHaveCount(0);
  await expect(page.locator(".counter b").first()).not.toHaveText("–");
  const inventory = await (await page.request.get("/api/v1/clusters/lab/inventory")).json() as Schemas["Inventory"];
  const listed = inventory.nodes.flatMap((node) => node.devices ?? []);
  const addresses = new Set(inventory.nodes.flatMap((node) => (node.devices ?? []).map((device) => `${node.node} ${device.address}`)));
  const isVF = (node: string, device: Schemas["AnswerDevice"]) => device.physical_function !== null && addresses.has(`${node} ${device.physical_function}`);
  for (const state of states) {
    const counter = page.getByRole("group", { name: "Filter by state" }).getByRole("button", { name: new RegExp(words[state]) });
    const [cards = 0, functions = 0] = [...(await counter.innerText()).matchAll(/\d+/g)].map(Number);
    expect(cards + functions, state).toBe(listed.filter((device) => device.state === state).length);
    const holders = new Set(inventory.nodes.flatMap(({ node, devices }) => (devices ?? [])
      .filter((device) => device.state === state)
      .map((device) => `${node} ${isVF(node, device) ? (device.physical_function ?? "") : device.address}`)));
    await counter.click();
    await expect(page.locator("a.tile")).toHaveCount(holders.size);
    await counter.click();
  }
});

test("the drawer has whole lines with one request, and the findings that the server relates", async ({ page, open }) => {
  const asked: string[] = [];
  page.on("request", (request) => { asked.push(new URL(request.url()).pathname); });
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  const drawer = page.getByRole("complementary");
  await expect(drawer.getByText("hostpci0: mapping=rtx-3090,pcie=1").first()).toBeVisible();
  await expect(drawer.getByRole("button", { name: /Copy line hostpci0 of VM 100/ })).toBeVisible();
  expect(asked.filter((path) => /\/vms\/\d+$/.test(path))).toEqual([]);
  const answer = await (await page.request.get("/api/v1/clusters/lab/nodes/pve-a/devices/0000:01:00.0?findings=true")).json() as Schemas["DeviceDetail"];
  const codes = (answer.findings ?? []).map((finding) => finding.code).sort();
  expect(codes.length).toBeGreaterThan(0);
  await expect(drawer.locator(".devfinding")).toHaveCount(codes.length);
  expect((await drawer.locator(".devfinding .label > .mono").allInnerTexts()).sort()).toEqual(codes);
});

test("what to do has the width of its finding, in the drawer and in the list", async ({ page, open }) => {
  const widths = (of: string) => page.locator(`${of} .remedy`).evaluateAll((steps) => steps.map((step) => {
    const words = step.querySelector("p") ?? step;
    return [step.parentElement?.clientWidth ?? 0, words.clientWidth];
  }));
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  await expect(page.locator(".devfinding .remedy").first()).toBeVisible();
  const inDrawer = await widths(".devfinding");
  await open("/findings?cluster=lab&code=boot-order-collision");
  await page.locator(".fnds summary").first().click();
  await expect(page.locator(".fnds .remedy").first()).toBeVisible();
  const inList = await widths(".fnds > li:first-child");
  for (const [room, words] of [...inDrawer, ...inList]) expect(words).toBe(room);
});

test("a VM tells what else is not known about its node", async ({ page, open }) => {
  await open("/vms/lab/103?cluster=lab");
  const vm = await (await page.request.get("/api/v1/clusters/lab/vms/103")).json() as Schemas["VMDetail"];
  await expect(page.getByText("something else")).toHaveCount(0);
  const blocking = [...vm.issues, ...vm.node_issues].filter((issue) => issue.blocks);
  await expect(page.locator(".scope .why")).toHaveCount(new Set(blocking.map((issue) => issue.code)).size);
});

test("what is saved says whether the list is whole", async ({ page, open }) => {
  await page.route(/\/api\/v1\/clusters\/lab\/nodes\/pve-c\?/, (route) => route.abort());
  await open("/gpus?cluster=lab");
  await expect(page.getByRole("button", { name: "Retry pve-c" })).toBeVisible();
  await page.getByRole("button", { name: "Export" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  const file = await waiting;
  expect(file.suggestedFilename()).toBe("gpu-resources-incomplete.csv");
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines.slice(1)) expect(line).toMatch(/,false,.*lab\/pve-c: no_answer/);
});

for (const path of ["/gpus?device=0000:01:00.0&node=pve-a", "/findings?about=device-shared", "/audit?action=cluster.create"]) {
  test(`on a telephone the drawer of ${path} has the whole screen`, async ({ page, open }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(path);
    if (path.startsWith("/audit")) await page.locator("tr[data-index]").nth(1).click();
    const drawer = page.locator(".drawer");
    await expect(drawer).toBeVisible();
    expect(await drawer.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
  });
}
