import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expect, test, type Cluster } from "./worlds";
import { expectAccessible, expectNoSideways, look } from "./test";

const rootPassword = "made-up-root";
const rootCode = "123456";
const p400 = "id=10de:1cb3,iommugroup=23,node=office-a,path=0000:61:00,subsystem-id=10de:11be";

function dialog(page: Page): Locator {
  return page.getByRole("dialog");
}

function vm(cluster: Cluster, vmid: number): string {
  return `/vms/${cluster.name}/${vmid}?cluster=${cluster.name}`;
}

function mappings(cluster: Cluster, more = ""): string {
  return `/mappings?cluster=${cluster.name}${more}`;
}

function steps(page: Page): Locator {
  return dialog(page).getByRole("list", { name: "Steps" }).getByRole("listitem");
}

async function confirm(page: Page, word: string): Promise<void> {
  await dialog(page).getByRole("textbox", { name: `Type ${word} to confirm` }).fill(word);
}

/** Opens the proposal for the card that nothing uses. */
async function openProposal(page: Page): Promise<void> {
  await page.getByRole("region", { name: "p400" }).getByRole("button", { name: "Create mapping p400", exact: true }).click();
  await expect(dialog(page).getByRole("heading", { name: "Create mapping p400" })).toBeVisible();
  await expect(steps(page)).toHaveCount(1);
}

test("a plan tells what changes, each step, who may do it, and the way back; its commands are what works", async ({ page, open, cluster, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const office = await cluster("office", "plan-preview", { changes: true });
  await open(vm(office, 100), "operator");
  await page.getByRole("button", { name: "Convert VM 100" }).click();
  const plan = dialog(page);
  await expect(plan.getByRole("heading", { name: "Convert VM 100 to a mapping" })).toBeVisible();
  await expect(plan).toContainText(/VM 100 \(cad-anna\) · office-a · not stopped · plan made from the reading of \d\d:\d\d:\d\d/);
  const changes = plan.getByRole("group", { name: "What changes" });
  await expect(changes).toContainText("hostpci0: 0000:01:00,pcie=1,x-vga=1");
  await expect(changes.locator("b")).toHaveText("mapping=rtx-a4000-01");
  await expect(changes).toContainText("The same 2 functions before and after: 0000:01:00.0 VGA controller and 0000:01:00.1 audio device.");
  await expect(steps(page)).toHaveCount(3);
  await expect(steps(page).nth(0)).toContainText(/Create mapping rtx-a4000-01.*POST \/cluster\/mapping\/pci.*Mapping\.Modify on \/mapping\/pci: the cluster's token has it.*takes no digest/s);
  await expect(steps(page).nth(1)).toContainText(/Write hostpci0 of VM 100.*PUT \/nodes\/office-a\/qemu\/100\/config.*Only the user root@pam, never a token.*digest [0-9a-f]{8}… of VM 100/s);
  await expect(steps(page).nth(2)).toContainText(/Stop and start VM 100 fully.*yours to do.*qm shutdown 100 && qm start 100/s);
  await expect(plan.getByRole("region", { name: "Way back" })).toContainText("qm set 100 --hostpci0 0000:01:00,pcie=1,x-vga=1");
  await expect(plan.getByRole("radio")).toHaveCount(2);
  await expect(plan.getByRole("radio", { name: /Run the commands as root on office-a/ })).toBeChecked();
  await expect(plan.getByRole("button", { name: "Apply 2 steps" })).toBeDisabled();
  await expectAccessible(page);
  const copy = plan.getByRole("button", { name: "Copy commands" });
  await expect(copy).toHaveClass(/primary/);
  await copy.click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("pvesh create /cluster/mapping/pci");
  expect(copied).toMatch(/qm set 100 \\\n {2}--digest [0-9a-f]{40} \\\n {2}--hostpci0 mapping=rtx-a4000-01,pcie=1,x-vga=1/);
  const waiting = page.waitForEvent("download");
  await plan.getByRole("button", { name: "Save the plan as JSON" }).click();
  expect(JSON.parse(await readFile(await (await waiting).path(), "utf8"))).toMatchObject({ cluster: office.name, confirm: "cad-anna", writes: 2 });
  await page.keyboard.press("Escape");
  await expect(plan).toHaveCount(0);
  expect(await office.command("office-a", "qm", "config", "100")).toContain("hostpci0: 0000:01:00,pcie=1,x-vga=1");
});

test("root@pam applies it after a wrong password, and the change of a running VM is pending", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-root", { changes: true });
  await open(vm(office, 100), "operator");
  await page.getByRole("button", { name: "Convert VM 100" }).click();
  const plan = dialog(page);
  await plan.getByRole("radio", { name: /as root@pam/ }).check();
  const apply = plan.getByRole("button", { name: "Apply 2 steps" });
  const password = plan.getByLabel("Password of root@pam");
  await confirm(page, "cad-anna");
  await expect(apply).toBeDisabled();
  await password.fill("wrong");
  await plan.getByLabel("Second factor", { exact: true }).fill(rootCode);
  await apply.click();
  await expect(plan.getByRole("alert")).toContainText("the user, the password or the second factor is not right");
  await expect(password).toHaveValue("");
  await expect(plan.getByLabel("Second factor", { exact: true })).toHaveValue("");
  await expect(apply).toBeDisabled();
  // Without the code of the second factor it is refused as well, and says so.
  await password.fill(rootPassword);
  await apply.click();
  await expect(plan.getByRole("alert")).toContainText(/second factor/i);
  await password.fill(rootPassword);
  await plan.getByLabel("Second factor", { exact: true }).fill(rootCode);
  await apply.click();
  await expect(plan.getByText("All steps ended as planned.")).toBeVisible();
  await expect(plan).toContainText("keeps what it has until a full stop and start");
  await expect(steps(page).nth(0)).toContainText("Done");
  await expect(steps(page).nth(1)).toContainText("Done");
  await expect(steps(page).nth(2)).toContainText(/Yours to do.*qm shutdown 100/s);
  await expectAccessible(page);
  await plan.getByRole("button", { name: "Close" }).last().click();
  await expect(page.locator(".slots")).toContainText("rtx-a4000-01");
  await expect(page.getByRole("button", { name: "Convert VM 100" })).toHaveCount(0);
  await page.goto(`/audit?cluster=${office.name}&action=plan.step`);
  await expect(page.locator("#main")).toContainText(`cluster ${office.name}, VM 100`);
  await expect(page.locator("body")).not.toContainText(rootPassword);
});

test("a new mapping is made of devices of a node, with what is wrong with it first", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-create", { changes: true });
  await open(mappings(office), "operator");
  await page.getByRole("button", { name: "New mapping" }).click();
  const form = dialog(page);
  await expect(form.getByRole("button", { name: "Preview" })).toBeDisabled();
  await form.getByLabel("Name", { exact: true }).fill("1-bad");
  await form.getByLabel("Description").fill("For <b>everybody</b>");
  await form.getByRole("combobox", { name: "Device" }).selectOption("0000:61:00.0");
  await form.getByRole("button", { name: "Add entry" }).click();
  await expect(form.getByLabel("Entries", { exact: true })).toHaveValue(p400);
  await expectAccessible(page);
  await form.getByRole("button", { name: "Preview" }).click();
  await expect(form).toContainText("The plan is stopped: it cannot be done as it stands.");
  await expect(form).toContainText("Proxmox VE would refuse this: id: invalid format - invalid configuration ID '1-bad'");
  await expect(form.getByRole("button", { name: /^Apply/ })).toHaveCount(0);
  await form.getByRole("button", { name: "Back to the form" }).click();
  await expect(form.getByLabel("Description")).toHaveValue("For <b>everybody</b>");
  await form.getByLabel("Name", { exact: true }).fill("fine");
  await form.getByRole("button", { name: "Preview" }).click();
  await expect(form.getByRole("group", { name: "What changes" })).toContainText(p400);
  await expect(form.getByRole("radio", { name: /with the token of the cluster/ })).toBeChecked();
  const apply = form.getByRole("button", { name: "Apply 1 step" });
  await expect(apply).toHaveClass(/primary/);
  await expect(apply).toBeDisabled();
  await form.getByRole("textbox", { name: "Type fine to confirm" }).fill("fin");
  await expect(apply).toBeDisabled();
  await confirm(page, "fine");
  await apply.click();
  await expect(form.getByText("All steps ended as planned.")).toBeVisible();
  await form.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("row", { name: /^fine/ })).toContainText("For <b>everybody</b>");
});

test("what is changed is written, and what was not touched stays", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-change", { changes: true });
  await open(mappings(office, "&mapping=net-vf"), "operator");
  await page.getByRole("button", { name: "Change mapping net-vf" }).click();
  const form = dialog(page);
  await expect(form.getByLabel("Entries", { exact: true })).toHaveValue(/node=office-a.*\n.*node=office-b/);
  await form.getByLabel("Description").fill("");
  await form.getByRole("button", { name: "Preview" }).click();
  const changes = form.getByRole("group", { name: "What changes" });
  await expect(changes).toContainText("description: Network that moves with a running VM");
  await expect(steps(page).first()).toContainText(/digest [0-9a-f]{8}… of the mapping file/);
  // Somebody else is faster.
  await office.command("office-a", "pvesh", "create", "/cluster/mapping/pci", "--id", "another", "--map", p400);
  await confirm(page, "net-vf");
  await form.getByRole("button", { name: "Apply 1 step" }).click();
  await expect(form.getByRole("alert")).toContainText("The cluster is not as it was when the plan was made");
  await form.getByRole("button", { name: "Look at it again" }).click();
  await expect(form.getByRole("alert")).toHaveCount(0);
  await confirm(page, "net-vf");
  await form.getByRole("button", { name: "Apply 1 step" }).click();
  await expect(form.getByText("All steps ended as planned.")).toBeVisible();
  const written = JSON.parse(await office.command("office-a", "pvesh", "get", "/cluster/mapping/pci/net-vf")) as { description?: string; "live-migration-capable"?: unknown; map: string[] };
  expect(written.description).toBeUndefined();
  expect(String(written["live-migration-capable"])).toBe("1");
  expect(written.map).toHaveLength(2);
});

test("a mapping in use is deleted only by force, and what is risked is told", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-delete", { changes: true });
  await open(mappings(office, "&mapping=flex-vf"), "operator");
  await page.getByRole("button", { name: "Delete mapping flex-vf" }).click();
  const plan = dialog(page);
  await expect(plan).toContainText("The plan is stopped");
  await expect(plan.getByRole("region", { name: "What refers to the mapping" })).toContainText(/110 desk-01.*111 desk-02/s);
  await expect(plan).toContainText("2 lines of VMs, templates and snapshots refer to mapping flex-vf.");
  await expect(steps(page)).toHaveCount(0);
  await expect(plan.getByRole("button", { name: /^Apply|^Copy commands/ })).toHaveCount(0);
  await expectAccessible(page);
  await plan.getByRole("checkbox", { name: /Do it all the same/ }).check();
  await expect(steps(page)).toHaveCount(1);
  await expect(plan.getByRole("checkbox", { name: /Do it all the same/ })).toBeFocused();
  await expect(plan).toContainText("This is risked, because it was asked for.");
  await expect(plan).toContainText("while VM 110 may be running with it");
  await confirm(page, "flex-vf");
  await plan.getByRole("button", { name: "Apply 1 step" }).click();
  await expect(plan.getByText("All steps ended as planned.")).toBeVisible();
  await plan.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("table", { name: "Resource mappings" }).getByRole("row", { name: /^flex-vf/ })).toHaveCount(0);
});

test("what Proxmox VE refuses is told in its own words, as they are", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-refused", { changes: true });
  await open(mappings(office, "&view=suggestions"), "operator");
  await openProposal(page);
  await confirm(page, "p400");
  await office.fault("forbidden", "/cluster/mapping/pci", 1, { method: "POST", reason: "<img src=x onerror=alert(1)> no" });
  await dialog(page).getByRole("button", { name: "Apply 1 step" }).click();
  await expect(steps(page).first()).toContainText(/Refused.*nothing was changed/s);
  await expect(dialog(page).locator("code").filter({ hasText: "<img src=x onerror=alert(1)> no" })).toBeVisible();
  await expect(dialog(page)).toContainText("Not all steps ended as planned.");
  await dialog(page).getByRole("button", { name: "Look at it again" }).click();
  await confirm(page, "p400");
  await dialog(page).getByRole("button", { name: "Apply 1 step" }).click();
  await expect(dialog(page).getByText("All steps ended as planned.")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("region", { name: "p400" })).toHaveCount(0);
});

test("a node that does not answer in the middle leaves the rest untouched, and all is told", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-middle", { changes: true });
  await open(vm(office, 101), "operator");
  await page.getByRole("button", { name: "Convert VM 101" }).click();
  const plan = dialog(page);
  await plan.getByRole("radio", { name: /as root@pam/ }).check();
  await confirm(page, "cad-trial");
  await plan.getByLabel("Password of root@pam").fill(rootPassword);
  await plan.getByLabel("Second factor", { exact: true }).fill(rootCode);
  await office.fault("refused", "/nodes/*/qemu/*/config", undefined, { method: "PUT" });
  await plan.getByRole("button", { name: "Apply 2 steps" }).click();
  await expect(plan).toContainText("Not all steps ended as planned.");
  await expect(steps(page).nth(0)).toContainText("Done");
  await expect(steps(page).nth(1)).toContainText(/Failed|Refused/);
  expect(await office.command("office-a", "qm", "config", "101")).toContain("hostpci0: 0000:01:00,pcie=1");
  await office.heal();
  await office.fault("refused", "/nodes/office-a/**");
  await plan.getByRole("button", { name: "Look at it again" }).click();
  await expect(plan).toContainText("The plan is stopped");
  await expect(plan.getByRole("button", { name: /^Apply|^Copy commands/ })).toHaveCount(0);
});

test("a plan that cannot be made says why, and is tried again", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-failed", { changes: true });
  await open(vm(office, 101), "operator");
  await expect(page.getByRole("button", { name: "Convert VM 101" })).toBeVisible();
  await office.fault("internal", "/**");
  await page.getByRole("button", { name: "Convert VM 101" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText(/request [0-9a-zA-Z-]+/);
  await office.heal();
  await dialog(page).getByRole("button", { name: "Retry" }).click();
  await expect(steps(page)).toHaveCount(2);
});

test("whoever closes it while it is being applied is told that it goes on, and it does", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-leave", { changes: true });
  await open(mappings(office, "&view=suggestions"), "operator");
  await openProposal(page);
  await confirm(page, "p400");
  await office.fault("latency", "/cluster/mapping/pci", 1, { method: "POST", delay_ms: 6000 });
  await dialog(page).getByRole("button", { name: "Apply 1 step" }).click();
  await expect(dialog(page)).toContainText("The steps are being applied");
  await page.keyboard.press("Escape");
  await expect(dialog(page).getByRole("alert")).toContainText("That goes on when this is closed");
  await dialog(page).getByRole("button", { name: "Wait for the result" }).click();
  await page.keyboard.press("Escape");
  await dialog(page).getByRole("button", { name: "Close, it goes on" }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole("region", { name: "p400" })).toHaveCount(0);
});

test("an answer that is lost is not taken for a failure", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-lost", { changes: true });
  await open(mappings(office, "&view=suggestions"), "operator");
  await openProposal(page);
  await confirm(page, "p400");
  await page.route("**/plans/apply", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog(page).getByRole("button", { name: "Apply 1 step" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText("What was begun goes on at the server, and may be done already.");
  await expect(dialog(page).getByRole("link", { name: "Steps in the audit log" })).toBeVisible();
  await dialog(page).getByRole("button", { name: "Look at it again" }).click();
  await expect(dialog(page)).toContainText(/already defined/);
});

test("an auditor sees no button that changes anything, and without the setting there are commands alone", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-rights");
  const offers = page.getByRole("button", { name: /^(?:New mapping|Convert|Change mapping|Delete mapping|Create mapping|Fix)/ });
  for (const path of [mappings(office, "&mapping=net-vf"), mappings(office, "&view=suggestions"), vm(office, 101)]) {
    await open(path, "auditor");
    await expect(page.locator("#main").getByText(/net-vf|rtx-a4000|cad-trial/).first()).toBeVisible();
    await expect(offers).toHaveCount(0);
  }
  await open(vm(office, 101), "operator");
  await offers.click();
  await expect(dialog(page).getByRole("radio")).toHaveCount(0);
  await expect(dialog(page)).toContainText("Changes from here are off for this cluster.");
  await expect(dialog(page).getByRole("button", { name: /^Apply/ })).toHaveCount(0);
  await expect(dialog(page).getByRole("button", { name: "Copy commands" })).toHaveClass(/primary/);
});

test("the address of a device that has moved is written where the finding tells it", async ({ page, open, cluster }) => {
  const office = await cluster("office", "plan-fix", { changes: true });
  await office.command("office-a", "pvesh", "create", "/cluster/mapping/pci", "--id", "moved", "--map", p400.replace("0000:61:00", "0000:62:00"));
  await open(mappings(office, "&mapping=moved"), "operator");
  const finding = page.locator(".fnds > li", { hasText: "device-moved" });
  await finding.getByRole("button", { name: "Fix" }).click();
  const plan = dialog(page);
  await expect(plan.getByRole("heading", { name: "Fix addresses in mapping moved" })).toBeVisible();
  await expect(plan.getByRole("group", { name: "What changes" })).toContainText(p400);
  await confirm(page, "moved");
  await plan.getByRole("button", { name: "Apply 1 step" }).click();
  await expect(plan.getByText("All steps ended as planned.")).toBeVisible();
  await plan.getByRole("button", { name: "Close" }).last().click();
  await expect(finding).toHaveCount(0);
  await expect(page.getByRole("region", { name: "moved", exact: true })).toBeVisible();
  await open(mappings(office, "&mapping=moved"), "auditor");
  await expect(page.getByRole("region", { name: "moved", exact: true })).toContainText("0000:61:00");
});

test("the keyboard, narrow screens and other languages", async ({ page, open, cluster }) => {
  test.slow();
  const office = await cluster("office", "plan-looks", { changes: true });
  await open(vm(office, 101), "operator");
  const convert = page.getByRole("button", { name: "Convert VM 101" });
  await convert.focus();
  await page.keyboard.press("Enter");
  await expect(steps(page)).toHaveCount(2);
  await look(page, "dark", 390);
  await expectNoSideways(page);
  expect(await dialog(page).evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  await dialog(page).getByRole("radio", { name: /as root@pam/ }).check();
  await expectAccessible(page);
  const heights = await dialog(page).getByRole("button").evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  await page.keyboard.press("Escape");
  await expect(convert).toBeFocused();
  for (const [locale, words] of [["ru", "Перевести ВМ 101 на сопоставление"], ["zh-CN", "将虚拟机 101 转换为使用映射"]] as const) {
    await page.addInitScript((language) => { localStorage.setItem("pciatlas.language", language); }, locale);
    await page.goto(vm(office, 101));
    await page.locator(".head .acts button", { hasText: "101" }).click();
    await expect(dialog(page).getByRole("heading", { level: 2 })).toHaveText(words);
    await expect(dialog(page).locator(".step")).toHaveCount(2);
    await expectNoSideways(page);
    expect(await dialog(page).innerText()).not.toMatch(/plan\.[a-z]|\{\{/);
  }
});
