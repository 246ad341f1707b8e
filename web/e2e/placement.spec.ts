import type { Page } from "@playwright/test";
import { alter, breakable, expectFailure } from "./fault";
import { expect, expectAccessible, test } from "./test";

const placement = /\/vms\/\d+\/placement$/;

function rowOf(page: Page, table: string, node: string) {
  return page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: node });
}

test("each node says whether the VM can start there, what it would get, or every reason why not", async ({ page, open }) => {
  await open("/vms/lab/110");
  const on = (node: string) => rowOf(page, "Where it can start", node);
  await expect(on("pve-a")).toContainText("can start");
  await expect(on("pve-a")).toContainText("where it is");
  await expect(on("pve-a")).toContainText("hostpci0 gets 0000:03:00.0, 0000:03:00.1.");
  await expect(on("pve-c")).toContainText("cannot start");
  await expect(on("pve-c")).toContainText("Resource mapping rtx-4090-pool of hostpci0 has no entry for node pve-c.");
  await on("pve-b").getByRole("link", { name: "0000:81:00.0" }).click();
  await expect(page).toHaveURL(/\/gpus\?.*node=pve-b.*device=/);
  await expect(page.locator(".drawer")).toContainText("0000:81:00.0");
});

test("what is not known looks different from what cannot start, and says what would tell", async ({ page, open }) => {
  await open("/vms/lab/110");
  const [no, unknown] = [rowOf(page, "Where it can start", "pve-c"), rowOf(page, "Where it can start", "pve-d")];
  await expect(no.locator(".verdict.no")).toHaveText("cannot start");
  await expect(unknown.locator(".verdict.unk")).toHaveText("unknown");
  await expect(no.getByRole("img", { name: "refuses the start" })).toBeVisible();
  await expect(unknown.getByRole("img", { name: "not read" })).toBeVisible();
  await expect(unknown).toContainText("Switch the node on, or look there at systemctl status pveproxy.");
  const drawing = (row: typeof no) => row.locator(".verdict svg").innerHTML();
  expect(await drawing(no)).not.toBe(await drawing(unknown));
});

test("start here, move while powered off and move while running are three answers", async ({ page, open }) => {
  await open("/vms/lab/100");
  const question = (name: string) => page.locator(".qs .q").filter({ hasText: name });
  await expect(question("Start here, on pve-a")).toContainText("can start");
  await expect(question("Start here, on pve-a")).toContainText("It runs now. This is about its next start.");
  await expect(question("Move while powered off")).toContainText("yes, to pve-b");
  await expect(question("Move while powered off")).toContainText("pve-c: no: mapping rtx-3090 (hostpci0) has no entry there.");
  await expect(question("Move while running").locator(".verdict")).toHaveText("no");
  await expect(question("Move while running")).toContainText("mapping rtx-3090 (hostpci0) is not marked live-migration-capable");
});

test("a VM of which nothing was read says so, and claims nothing", async ({ page, open }) => {
  await open("/vms/lab/401");
  const table = page.getByRole("table", { name: "Where it can start" });
  await expect(table.locator(".verdict")).toHaveText(["unknown", "unknown", "unknown", "unknown"]);
  await expect(table).toContainText("The configuration of VM 401 could not be read.");
  await expect(table).toContainText("The token needs VM.Audit on the VM");
  await expect(page.locator(".qs .q").filter({ hasText: "Move while powered off" }).locator(".verdict")).toHaveText("unknown");
  await expect(page.getByText("PCI devices do not keep it")).toHaveCount(0);
});

test("values that have to change places are told", async ({ page, open }) => {
  await alter(page, [{
    what: placement,
    answer: (said) => ({ ...said, nodes: (said["nodes"] as object[]).map((node) => ({ ...node, verdict: "cannot_start", swap: [{ from: "hostpci0", to: "hostpci1" }, { from: "hostpci1", to: "hostpci0" }] })) }),
  }]);
  await open("/vms/lab/110");
  await expect(rowOf(page, "Where it can start", "pve-a")).toContainText("It starts if values change places: that of hostpci0 into hostpci1 and that of hostpci1 into hostpci0");
});

test("words of a newer server are told as they are, and never as a start", async ({ page, open }) => {
  await alter(page, [{
    what: placement,
    answer: (said) => ({
      ...said,
      nodes: [{
        node: "pve-a", here: true, verdict: "maybe_start", swap: null, move_powered_off: null, move_running: null,
        reasons: [{ code: "moon_phase", effect: "bends", first: false, slot: null, mapping: null, devices: [], vms: [], sentence: "The moon decides.", params: {} }],
      }],
    }),
  }]);
  await open("/vms/lab/110");
  const row = rowOf(page, "Where it can start", "pve-a");
  await expect(row).toContainText("The moon decides.");
  await expect(row).toContainText("maybe_start");
  await expect(row.locator(".verdict.unk")).toBeVisible();
});

test("where it can start fails by itself, and is read again", async ({ page, open }) => {
  const server = await breakable(page, placement);
  server.broken = "r-4713";
  await open("/vms/lab/110");
  const main = page.locator("#main");
  await expectFailure(main, "r-4713");
  await expect(page.getByRole("table", { name: "Slots" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Where it can start" })).toHaveCount(0);
  await expect(page.locator(".qs")).toHaveCount(0);
  server.broken = null;
  await main.locator(".failed").filter({ hasText: "r-4713" }).getByRole("button", { name: "Retry" }).click();
  await expect(rowOf(page, "Where it can start", "pve-a")).toContainText("can start");
});

test("Refresh reads all of the VM again, and the old answer goes when that fails", async ({ page, open }) => {
  const server = await breakable(page, placement);
  await open("/vms/lab/110");
  await expect(rowOf(page, "Where it can start", "pve-a")).toContainText("can start");
  server.broken = "r-4714";
  await page.locator("header").getByRole("button", { name: "Refresh" }).click();
  await expectFailure(page.locator("#main"), "r-4714");
  await expect(page.getByRole("table", { name: "Where it can start" })).toHaveCount(0);
});

for (const [locale, words, move] of [
  ["ru", "hostpci0 получит 0000:03:00.0 и 0000:03:00.1.", "Перенос в выключенном состоянии"],
  ["zh-CN", "hostpci0 得到 0000:03:00.0和0000:03:00.1。", "关机后迁移"],
] as const) {
  test(`reasons are told in ${locale}`, async ({ page, open }) => {
    await page.addInitScript((language) => { localStorage.setItem("pciatlas.language", language); }, locale);
    await open("/vms/lab/110");
    const row = page.locator(".place").first().getByRole("row").filter({ hasText: "pve-a" });
    await expect(row).toContainText(words);
    await expect(page.locator(".place [lang=en], .qs [lang=en]")).toHaveCount(0);
    await expect(page.locator(".qs")).toContainText(move);
    await expectAccessible(page);
  });
}
