import type { Page } from "@playwright/test";
import { rowsOf, search } from "../src/domain/inventory";
import { filterVMs, rowsOfVMs } from "../src/domain/vm";
import { Crowd } from "./crowd";
import { median, scrollThrough, timeToPaint, type Sign } from "./stopwatch";
import { expect, test } from "./test";

// The agreed 50 ms hold on a machine that does nothing else: SPEED=strict asks for them.
const strict = process.env["SPEED"] === "strict";
const limit = strict ? 50 : 2000;
/** A list draws so many rows at most, however long it is. */
const mostRows = 200;

const crowd = new Crowd({ nodes: 16, devices: 5000, vms: 10_000 });
const devices = crowd.answers.flatMap((answer) => rowsOf(answer));
const vms = rowsOfVMs(crowd.nodes.map((node) => ({
  cluster: "lab", node, pending: false, busy: false, error: null, scope: null, vms: crowd.vms.filter((vm) => vm.node === node),
})));

test.describe.configure({ timeout: 240_000 });

function within(what: string, values: readonly number[]): void {
  console.log(`speed: ${what}: median ${median(values).toFixed(0)} ms, worst ${Math.max(...values).toFixed(0)} ms of ${values.length}`);
  expect.soft(median(values), what).toBeLessThanOrEqual(limit);
}

async function scroll(page: Page, what: string, row: string): Promise<void> {
  await page.evaluate(() => { scrollTo(0, 0); });
  await page.waitForTimeout(500);
  const { frames, elements, rows, blank } = await scrollThrough(page, row);
  const long = frames.filter((frame) => frame > 50).length;
  console.log(`speed: ${what}, scroll: ${frames.length} frames, median ${median(frames).toFixed(0)} ms, longest ${Math.max(...frames).toFixed(0)} ms, ${long} over 50 ms, ${blank} blank, ${rows} rows and ${elements} elements at most`);
  expect.soft(rows, `${what}: rows in the page`).toBeLessThan(mostRows);
  expect.soft(Math.max(...frames), `${what}: longest frame`).toBeLessThanOrEqual(limit);
}

/** How many rows the table says it has, its heads included. */
function rowCount(count: number): Sign {
  return { selector: "table[aria-rowcount]", attribute: "aria-rowcount", value: String(count + 1) };
}

/** Types texts key by key, and times each key that changes the number of rows. */
async function type(page: Page, texts: readonly string[], count: (text: string) => number): Promise<number[]> {
  const box = page.getByRole("main").getByRole("searchbox");
  const times: number[] = [];
  for (const text of texts) {
    let shown = count("");
    for (let end = 1; end <= text.length; end += 1) {
      const next = count(text.slice(0, end));
      const press = () => box.press(text.charAt(end - 1));
      if (next === shown || next === 0) await press();
      else times.push(await timeToPaint(page, "input", press, rowCount(next)));
      shown = next;
    }
    times.push(await timeToPaint(page, "input", () => box.fill(""), rowCount(count(""))));
  }
  return times;
}

/** Bytes of script objects that are in use. */
async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize;
}

/** A telephone is measured where figures are wanted, with SPEED set. */
const screens: readonly (readonly [number, number])[] = process.env["SPEED"] === undefined ? [[1440, 1000]] : [[1440, 1000], [390, 844]];

for (const [width, height] of screens) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height } });
    test.beforeEach(({ page }) => crowd.serve(page));

    test("5,000 devices are searched, filtered and scrolled", async ({ page, open }) => {
      const what = `GPU resources, 5,000 devices, ${width} px`;
      await open("/gpus");
      await expect(page.locator("table.gpus")).toHaveAttribute("aria-rowcount", "5001");
      await expect(page.locator(".notes").first()).toBeAttached();
      within(`${what}, search`, await type(page, ["4090", "desk-1234", "a100"], (text) => search(devices, text).length));
      const buttons = page.locator(".filters .seg .btn");
      const times: number[] = [];
      for (const [nth, state] of [[4, "unreferenced"], [1, "multi_referenced"], [4, "unreferenced"], [1, "multi_referenced"], [0, null]] as const) {
        const count = devices.filter((row) => state === null || row.state === state).length;
        times.push(await timeToPaint(page, "click", () => buttons.nth(nth).click(), rowCount(count)));
      }
      within(`${what}, state`, times);
      await scroll(page, what, "tr[data-index]");
    });

    test("10,000 VMs are searched and scrolled", async ({ page, open }) => {
      const what = `VMs, 10,000 VMs, ${width} px`;
      await open("/vms");
      await expect(page.getByRole("table", { name: "VMs" })).toHaveAttribute("aria-rowcount", "10001");
      await expect(page.locator(".counts").first()).toBeVisible();
      within(`${what}, search`, await type(page, ["4090", "desk-1234", "pool-1"], (q) => filterVMs(vms, { q, node: "", via: null }).length));
      await scroll(page, what, "tr[data-index]");
      const memory = await heap(page);
      console.log(`speed: ${what}: ${(memory / 1_000_000).toFixed(0)} MB of script memory`);
      expect.soft(memory).toBeLessThan(200_000_000);
    });

    test("10,000 findings are filtered and scrolled, and one that is open stays open", async ({ page, open }) => {
      const what = `Findings, 10,000 findings, ${width} px`;
      await open("/findings");
      const items = page.locator(".fnds > li[data-index]");
      await expect(items.first()).toHaveAttribute("aria-setsize", "10000");
      const buttons = page.locator(".filters .seg .btn");
      const times: number[] = [];
      for (const [nth, severity] of [[1, "error"], [2, "warning"], [1, "error"], [3, "info"], [0, null]] as const) {
        const count = crowd.findings.filter((finding) => severity === null || finding.severity === severity).length;
        times.push(await timeToPaint(page, "click", () => buttons.nth(nth).click(), { selector: ".fnds > li[data-index]", attribute: "aria-setsize", value: String(count) }));
      }
      within(`${what}, severity`, times);
      await items.first().locator("summary").click();
      await scroll(page, what, ".fnds > li[data-index]");
      await page.evaluate(() => { scrollTo(0, 0); });
      await expect(items.first().locator("details")).toHaveAttribute("open");
    });

    test("5,000 tiles are filtered and scrolled", async ({ page, open }) => {
      const what = `Overview, 5,000 tiles, ${width} px`;
      await open("/");
      await expect(page.locator(".counter b").first()).not.toHaveText("–");
      await expect(page.locator(".flist a").first()).toBeAttached();
      const buttons = page.locator(".counter");
      const times: number[] = [];
      for (const [nth, pressed] of [[3, "true"], [0, "true"], [0, "false"], [3, "true"], [3, "false"]] as const) {
        times.push(await timeToPaint(page, "click", () => buttons.nth(nth).click(), { selector: `.counter:nth-child(${nth + 1})`, attribute: "aria-pressed", value: pressed }));
      }
      within(`${what}, state`, times);
      await scroll(page, what, "a.tile");
    });
  });
}

test("paper shows all 5,000 devices and all 10,000 findings", async ({ page, open }) => {
  await crowd.serve(page);
  for (const [path, row, count] of [["/gpus", "table.gpus tr[data-index]", 5000], ["/findings", ".fnds > li", 10_000]] as const) {
    await open(path);
    await expect(page.locator(row).first()).toBeVisible();
    await expect(page.locator(".scope").first()).toContainText("10,000 of 10,000");
    expect(await page.evaluate((row) => {
      window.dispatchEvent(new Event("beforeprint"));
      const drawn = document.querySelectorAll(row).length;
      window.dispatchEvent(new Event("afterprint"));
      return drawn;
    }, row)).toBe(count);
    await expect.poll(() => page.locator(row).count()).toBeLessThan(mostRows);
  }
});
