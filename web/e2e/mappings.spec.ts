import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { alter } from "./fault";
import { expect, expectAccessible, expectNoSideways, look, test } from "./test";

type Json = Record<string, unknown>;

const matrix = /\/clusters\/lab\/mappings$/;

function row(page: Page, name: string): Locator {
  return page.getByRole("table", { name: "Resource mappings" }).getByRole("row", { name: new RegExp(`^${name}`) });
}

/** Changes the cells of one mapping in what the server said. */
function cells(id: string, change: (cell: Json) => Json): (said: Json) => Json {
  return (said) => ({
    ...said, mappings: (said["mappings"] as Json[]).map((one) => (one["id"] === id ? { ...one, cells: (one["cells"] as Json[]).map(change) } : one)),
  });
}

test("the matrix tells what each mapping is worth on each node, and a row opens below it", async ({ page, open }) => {
  await open("/mappings");
  await expect(page.locator(".head .sub")).toHaveText("4 mappings, 3 of 4 nodes checked");
  await expect(page.locator("#main").getByRole("status").first()).toContainText("visible VMs checked");
  const cell = row(page, "rtx-3090").getByRole("cell");
  await expect(cell.nth(1)).toHaveText(/ok.*capacity 1.*demand 1.*1 running/);
  await expect(cell.nth(2)).toHaveText(/ok.*capacity 1.*demand 1.*1 stopped · 1 template/);
  await expect(cell.nth(3)).toHaveText(/missing$/);
  await expect(page.locator("#main")).toContainText("It does not mean that one can be assigned now.");
  await expect(row(page, "old-card").getByRole("cell").nth(1)).toHaveText(/invalid.*capacity 0.*demand 0.*none refers to it here/);
  await row(page, "old-card").click();
  await expect(page).toHaveURL(/mapping=old-card/);
  const detail = page.getByRole("region", { name: "old-card", exact: true });
  await expect(detail.getByRole("row", { name: /0000:02:00/ })).toContainText("10de:1b06 is 10de:2204");
  await expect(detail.getByRole("row", { name: /0000:02:00/ })).toContainText("1458:3752 is 1458:403b");
  await expect(detail).toContainText("Invalid configuration: 'id' does not match for 'old-card' (10de:2204 != 10de:1b06)");
  await expect(detail).toContainText("same verdict as ours");
  await expect(detail.getByRole("row", { name: /0000:02:00/ }).getByText("ids differ")).toHaveCount(2);
  await detail.getByText("Evidence and remedy").click();
  await expect(detail.getByText("id=10de:2204,iommugroup=15,node=pve-a,path=0000:02:00,subsystem-id=1458:403b", { exact: true }).first()).toBeVisible();
  await page.goBack();
  await expect(detail).toHaveCount(0);
  await expect(page).not.toHaveURL(/mapping=/);
});

test("the keyboard opens a mapping, moves to the next and closes it", async ({ page, open }) => {
  await open("/mappings");
  await row(page, "old-card").focus();
  await page.keyboard.press("ArrowDown");
  await expect(row(page, "p4-vgpu")).toBeFocused();
  await expect(page).not.toHaveURL(/mapping=/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "p4-vgpu", exact: true })).toContainText("nvidia-63");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("region", { name: "rtx-3090", exact: true })).toBeVisible();
  await expect(page).toHaveURL(/mapping=rtx-3090/);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/mapping=/);
  await expect(row(page, "rtx-3090")).toBeFocused();
});

test("the users of a mapping stand with what they do, and lead to the VM", async ({ page, open }) => {
  await open("/mappings?mapping=rtx-3090");
  const detail = page.getByRole("region", { name: "rtx-3090", exact: true });
  await expect(row(page, "rtx-3090")).toHaveAttribute("aria-selected", "true");
  await expect(detail.getByRole("row", { name: /render-1/ })).toContainText(/running\s*starts by itself/);
  await expect(detail.getByRole("row", { name: /golden-gpu/ })).toContainText("template");
  await expect(detail).toContainText("Not all snapshots were read: some may refer to it.");
  await expect(detail.locator(".pve").last()).toContainText(/PVE on pve-a, pve-b.*no remark.*same verdict as ours/);
  await detail.getByRole("link", { name: "render-1" }).click();
  await expect(page).toHaveURL(/\/vms\/lab\/100/);
  await page.goBack();
  await expect(detail).toBeVisible();
});

test("a line that is pending, one to be removed and one in a snapshot are told apart", async ({ page, open }) => {
  const phases = ["pending", "pending_removal", "current"];
  await alter(page, [{ what: matrix, answer: (said) => ({ ...said, mappings: (said["mappings"] as Json[]).map((one) => (one["id"] === "rtx-3090" ? {
    ...one, users: (one["users"] as Json[]).map((user, at) => ({ ...user, phase: phases[at] })), snapshots: [{ vmid: 100, node: "pve-a", snapshot: "before-upgrade", slot: "hostpci0" }],
  } : one)) }) }]);
  await open("/mappings?mapping=rtx-3090");
  const detail = page.getByRole("region", { name: "rtx-3090", exact: true });
  await expect(detail.getByRole("row", { name: /render-1/ })).toContainText("pending");
  await expect(detail.getByRole("row", { name: /render-3/ })).toContainText("pending removal");
  await expect(detail.getByRole("row", { name: /golden-gpu/ })).not.toContainText("pending");
  await expect(detail.getByRole("listitem").filter({ hasText: "before-upgrade" })).toContainText("hostpci0");
});

test("where the check of Proxmox VE differs, was not asked for or not read, it says so", async ({ page, open }) => {
  const others = { "pve-a": { agrees: false, pve_checks: [{ severity: "error", message: "Something else." }] }, "pve-b": { agrees: null, pve_checks: null, pve_read: "failed" } };
  await alter(page, [{ what: matrix, answer: cells("rtx-3090", (cell) => ({ ...cell, ...others[cell["node"] as "pve-a" | "pve-b"] })) }]);
  await open("/mappings?mapping=rtx-3090");
  const detail = page.getByRole("region", { name: "rtx-3090", exact: true });
  await expect(row(page, "rtx-3090").getByRole("cell").nth(1)).toContainText("PVE says otherwise");
  await expect(detail.locator(".pve").first()).toContainText(/PVE on pve-a.*Something else\..*differs from ours/);
  await expect(detail.locator(".pve").last()).toContainText(/PVE on pve-b.*not read/);
  await expect(detail.getByRole("row", { name: /0000:01:00/ })).toContainText("see below");
  await page.unroute(matrix);
  await alter(page, [{ what: matrix, answer: cells("rtx-3090", (cell) => ({ ...cell, agrees: null, pve_checks: null, pve_read: "not_asked" })) }]);
  await page.reload();
  await expect(detail.locator(".pve")).toContainText(/PVE on pve-a, pve-b.*not asked/);
});

test("what is not known is no number, and what was not read is no verdict", async ({ page, open }) => {
  await alter(page, [{ what: matrix, answer: (said) => ({
    ...cells("p4-vgpu", (cell) => (cell["node"] === "pve-b"
      ? { ...cell, verdict: "unreadable", capacity: null, agrees: null, entries: (cell["entries"] as Json[]).map((entry) => ({ ...entry, devices: null, untold: true })) } : cell))(said),
    nodes: (said["nodes"] as Json[]).map((node) => (node["node"] === "pve-b" ? { ...node, devices_read: false } : node)),
  }) }]);
  await open("/mappings?mapping=p4-vgpu");
  const cell = row(page, "p4-vgpu").getByRole("cell").nth(2);
  await expect(cell).toHaveText(/unreadable.*devices not read.*capacity not known.*demand 1/);
  await expect(page.locator(".head .sub")).toHaveText("4 mappings, 2 of 4 nodes checked");
  const detail = page.getByRole("region", { name: "p4-vgpu", exact: true });
  await expect(detail.getByRole("row", { name: /0000:0a:00/ })).toContainText("not all that is compared was told");
  await expect(detail).toContainText("ours is not known");
});

test("more demand than capacity, and demand where there is no entry, carry a sign", async ({ page, open }) => {
  const demand = { vms: 2, slots: 2, running: 0, starting: 1, stopped: 1, templates: 0, status_unknown: 0 };
  await alter(page, [{ what: matrix, answer: cells("rtx-3090", (cell) => (cell["node"] === "pve-b" || cell["node"] === "pve-c" ? { ...cell, demand } : cell)) }]);
  await open("/mappings");
  const cell = row(page, "rtx-3090").getByRole("cell");
  await expect(cell.nth(2)).toContainText("1 starts by itself · 1 stopped");
  await expect(cell.nth(2).getByRole("img", { name: "warning" })).toBeVisible();
  await expect(cell.nth(3)).toHaveText(/missing.*demand 2/);
  await expect(cell.nth(3).getByRole("img", { name: "error" })).toBeVisible();
});

test("a list that may hide mappings says so, and a name that is not in it is not called missing", async ({ page, open }) => {
  const hidden = { scope: "unproven", scope_fault: "/mapping/pci", scope_reason: "Mapping.Audit is not held on /mapping/pci." };
  await alter(page, [{ what: matrix, answer: (said) => ({ ...said, ...hidden }) }]);
  await open("/mappings?mapping=Old-card");
  const main = page.locator("#main");
  await expect(main).toContainText("Mappings may be missing here");
  await expect(main).toContainText("Mapping.Audit is not held on /mapping/pci.");
  await expect(page.getByRole("region", { name: "Old-card", exact: true })).toContainText("is not visible here; whether it exists is not known");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  expect((await waiting).suggestedFilename()).toBe("mappings-incomplete.csv");
  await page.unroute(matrix);
  await alter(page, [{ what: matrix, answer: (said) => ({ ...said, ...hidden, mappings: [], findings: [] }) }]);
  await page.reload();
  await expect(main).toContainText("No resource mapping is visible");
  await expect(main).toContainText("Hidden ones may exist");
  await page.unroute(matrix);
  await page.reload();
  await expect(page.getByRole("region", { name: "Old-card", exact: true })).toContainText(/There is no mapping .*Old-card.*Names are case-sensitive\./);
});

test("mappings are written down as commands, for Terraform and as JSON, all or one", async ({ page, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open("/mappings?mapping=rtx-3090");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("menuitem", { name: "Terraform" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator("pre")).toContainText('resource "proxmox_hardware_mapping_pci" "old-card"');
  await expectAccessible(page);
  const waiting = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save as file" }).click();
  const file = await waiting;
  expect(file.suggestedFilename()).toBe("mappings-lab.tf");
  expect(await readFile(await file.path(), "utf8")).toContain('"rtx-4090-pool"');
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Export rtx-3090" }).click();
  await page.getByRole("menuitem", { name: "Commands" }).click();
  await expect(dialog.locator("pre")).toContainText("pvesh set /cluster/mapping/pci/rtx-3090");
  await expect(dialog.locator("pre")).not.toContainText("old-card");
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByText("Copied")).toBeAttached();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("--map 'id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00");
  await dialog.getByRole("button", { name: "JSON for PVE" }).click();
  await expect(dialog.locator("pre")).toContainText('"rtx-3090"');
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "rtx-3090", exact: true })).toBeVisible();
});

test("an export that fails says so and is tried again", async ({ page, open }) => {
  await page.route(/\/mappings\/export/, (route) => route.fulfill({ status: 502, contentType: "application/problem+json", json: { type: "about:blank", title: "", status: 502, code: "pve_refused", detail: "Broken on purpose.", request_id: "r-1" } }));
  await open("/mappings");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("menuitem", { name: "Commands" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("Broken on purpose.");
  await expect(dialog.getByRole("button", { name: "Save as file" })).toHaveCount(0);
  await page.unroute(/\/mappings\/export/);
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.locator("pre")).toContainText("pvesh set");
});

test("what is searched for is in the address and in the file", async ({ page, open }) => {
  await open("/mappings");
  await page.getByRole("searchbox", { name: "Search mappings" }).fill("render");
  await expect(page).toHaveURL(/q=render/);
  await expect(page.getByRole("table", { name: "Resource mappings" }).getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  const lines = (await readFile(await (await waiting).path(), "utf8")).trim().split("\r\n");
  expect(lines).toHaveLength(5);
  expect(lines[1]).toContain("lab,rtx-3090,The two cards of the render farm,false,false,pve-a,ok,1,1,1,1,0,0,0,0,");
  await page.getByRole("searchbox", { name: "Search mappings" }).fill("no such thing");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page.getByRole("table", { name: "Resource mappings" }).getByRole("row")).toHaveCount(5);
});

test("suggestions cover both nodes, and tell the lines that they would replace", async ({ page, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open("/mappings?cluster=office");
  await page.getByRole("button", { name: "Suggestions" }).click();
  await expect(page).toHaveURL(/view=suggestions/);
  const one = page.getByRole("region", { name: "rtx-a4000" });
  await expect(one).toContainText("RTX A4000 · 10de:24b0 · new mapping");
  await expect(one.locator(".entrylines > li")).toHaveText([/added.*node=office-a,path=0000:01:00,/, /added.*node=office-b,path=0000:03:00,/]);
  await expect(one.getByRole("link", { name: "cad-trial" })).toBeVisible();
  await one.getByRole("button", { name: "Copy command for rtx-a4000" }).click();
  await expect(one.getByText("Copied")).toBeAttached();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("pvesh create /cluster/mapping/pci --id rtx-a4000");
  const more = page.getByRole("region", { name: "flex-vf", exact: true });
  await expect(more).toContainText("4 more entries for the mapping that is there");
  await expect(more.locator(".entrylines > li").first()).toContainText("there already");
  const left = page.getByRole("table", { name: "Not proposed" });
  await expect(left.getByRole("row", { name: /0000:41:00\.0/ })).toContainText("its virtual functions are what can be shared");
  await expect(left.getByRole("row", { name: /office-b/ })).toContainText("the display of the management controller");
  await expect(page.locator("#main")).toContainText("Which display a node shows its console on is not told over the API. Do not map one that the node needs: office-a, office-b");
  await one.getByRole("button", { name: "Export rtx-a4000" }).click();
  await page.getByRole("menuitem", { name: "Terraform" }).click();
  await expect(page.getByRole("dialog").locator("pre")).toContainText('resource "proxmox_hardware_mapping_pci" "rtx-a4000"');
  await expect(page.getByRole("dialog").locator("pre")).not.toContainText("import {");
  await page.keyboard.press("Escape");
  await left.getByRole("link", { name: "flex-vf" }).first().click();
  await expect(page.getByRole("region", { name: "flex-vf", exact: true })).toContainText("Used by");
  await page.goBack();
  await expect(one).toBeVisible();
});

test("a suggestion says when hidden mappings may have its devices", async ({ page, open }) => {
  await alter(page, [{ what: /\/mappings\/suggestions$/, answer: (said) => ({ ...said, mapping_scope: "unproven", mapping_scope_fault: "/mapping", mapping_scope_reason: "Not held." }) }]);
  await open("/mappings?view=suggestions");
  await expect(page.locator("#main")).toContainText("a hidden one may have a device that is proposed here. See the rights on /mapping");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("menuitem", { name: "Commands" }).click();
  await expect(page.getByRole("dialog")).toContainText("It is not proven that all mappings are visible");
});

test("all findings about mappings are here, also about names that no mapping has", async ({ page, open }) => {
  await alter(page, [{ what: matrix, answer: (said) => ({ ...said, findings: [...said["findings"] as Json[], {
    code: "mapping-not-found", severity: "error", subject: { node: "pve-a", vmid: 100, slot: "hostpci0", mapping: "Rtx-3090" },
    sentence: "There is no mapping Rtx-3090.", evidence: [], remedy: [], params: { mapping: "Rtx-3090" },
  }] }) }]);
  await open("/mappings");
  await expect(page.getByRole("heading", { name: "Findings about names that no listed mapping has" })).toBeVisible();
  await expect(page.locator("#main")).toContainText("There is no mapping Rtx-3090.");
  const filter = page.getByRole("group", { name: "View" });
  await filter.getByRole("button", { name: "Findings 3" }).click();
  await expect(page.locator(".fnds > li")).toHaveCount(3);
  await page.locator(".fnds").getByRole("link", { name: "old-card" }).click();
  await expect(page.getByRole("region", { name: "old-card", exact: true })).toBeVisible();
  await open("/findings?code=mapping-invalid");
  await page.locator(".fnds").getByRole("link", { name: "old-card" }).click();
  await expect(page.getByRole("region", { name: "old-card", exact: true })).toBeVisible();
});

test("all clusters stand below each other, and a mapping is told under its own", async ({ page, open }) => {
  await open("/mappings?cluster=*");
  for (const name of ["lab", "office", "plant"]) await expect(page.getByRole("region", { name, exact: true })).toBeVisible();
  await page.getByRole("region", { name: "office", exact: true }).getByRole("row", { name: /^net-vf/ }).click();
  await expect(page).toHaveURL(/mapping=office(?:%2F|\/)net-vf/);
  await expect(page.getByRole("region", { name: "office", exact: true }).getByRole("region", { name: "net-vf", exact: true })).toContainText("live migration declared");
});

for (const [locale, words] of [
  ["zh-CN", ["资源映射", "无效", "实为 10de:2204", "ID 不同", "与我们的结论一致"]],
  ["ru", ["Сопоставления ресурсов", "неверно", "на деле 10de:2204", "ID отличаются", "вывод тот же, что у нас"]],
] as const) {
  test.describe(locale, () => {
    test.use({ locale });
    test("verdicts, differences and reasons are in the language", async ({ page, open }) => {
      await open("/mappings?mapping=old-card");
      for (const word of words) await expect(page.locator("#main")).toContainText(word);
      await open("/mappings?view=suggestions");
      await expect(page.locator(".leftout tbody tr").first()).toBeVisible();
      await expect(page.locator(".leftout tbody")).not.toContainText(/[a-z]{4,} (?:has|it|display)/);
    });
  });
}

test("names as long as they may be, and eight paths in one entry, push nothing out of the page", async ({ page, open }) => {
  const id = `m${"apping-".repeat(17)}end`;
  const node = `n${"-0123456789".repeat(5)}-end`;
  const path = Array.from({ length: 8 }, (_, at) => `0000:01:00.${String(at)}`).join(";");
  await alter(page, [{ what: matrix, answer: (said) => {
    const text = JSON.stringify(said).replaceAll('"old-card"', JSON.stringify(id)).replaceAll('"pve-a"', JSON.stringify(node)).replaceAll('"0000:02:00"', JSON.stringify(path));
    return JSON.parse(text) as Json;
  } }]);
  for (const width of [1440, 390]) {
    await look(page, "light", width);
    await open(`/mappings?mapping=${id}`);
    const detail = page.getByRole("region", { name: id, exact: true });
    await expect(detail.locator(".entrypath")).toHaveCount(8);
    await expect(detail.getByRole("heading", { name: id })).toBeInViewport();
    await expectNoSideways(page);
    await expectAccessible(page);
  }
});

/** 16 nodes and 60 mappings, made of what the server said of one. */
function large(said: Json): Json {
  const nodes = Array.from({ length: 16 }, (_, at) => `node-${String(at + 1).padStart(2, "0")}`);
  const [first] = (said["mappings"] as Json[]).filter((one) => one["id"] === "rtx-3090");
  const [cell] = first?.["cells"] as Json[];
  return {
    ...said, findings: [], nodes: nodes.map((node) => ({ node, known: true, devices_read: true, complete: true })),
    mappings: Array.from({ length: 60 }, (_, at) => ({
      ...first, id: `pool-${String(at + 1).padStart(2, "0")}`, cells: nodes.map((node) => ({ ...cell, node })),
    })),
  };
}

test("16 nodes and 60 mappings scroll in their own box, names and heads in sight", async ({ page, open }) => {
  await alter(page, [{ what: matrix, answer: large }]);
  await open("/mappings?mapping=pool-40");
  const box = page.locator(".matrixbox > .panel");
  const selected = row(page, "pool-40");
  await expect(selected).toBeInViewport();
  await expect(page.getByRole("region", { name: "pool-40", exact: true })).toBeInViewport();
  await expectNoSideways(page);
  await box.evaluate((element) => { element.scrollTo({ left: element.scrollWidth, top: element.scrollTop }); });
  await expect(selected.getByRole("cell").nth(16)).toBeInViewport();
  await expect(selected.getByRole("cell").first()).toBeInViewport();
  await expect(page.getByRole("columnheader", { name: "node-16" })).toBeInViewport();
  await expect(page.getByRole("columnheader", { name: "Mapping" })).toBeInViewport();
  await look(page, "light", 390);
  await expectNoSideways(page);
});
