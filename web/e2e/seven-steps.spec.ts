import type { Locator, Page } from "@playwright/test";
import { expect, test, type Cluster } from "./worlds";

const rootPassword = "made-up-root";
const rootCode = "123456";

/** The commands of the way back that the page shows, without its remarks. */
async function wayBack(dialog: Locator): Promise<string[]> {
  const text = await dialog.locator(".back code").innerText();
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

/** All that is changed in the story. */
async function state(cluster: Cluster): Promise<string[]> {
  const config = await cluster.command("office-a", "qm", "config", "101");
  const mappings = JSON.parse(await cluster.command("office-a", "pvesh", "get", "/cluster/mapping/pci")) as ({ id: string } & Record<string, unknown>)[];
  return [config.split("\n").filter((line) => !line.startsWith("digest")).sort().join("\n"), JSON.stringify(mappings.map((mapping) => ({ ...mapping, digest: "" })).sort((a, b) => a.id.localeCompare(b.id)))];
}

async function apply(page: Page, steps: RegExp, word: string): Promise<void> {
  const plan = page.getByRole("dialog");
  await plan.getByRole("textbox", { name: `Type ${word} to confirm` }).fill(word);
  await plan.getByRole("button", { name: steps }).click();
  await expect(plan.getByText("All steps ended as planned.")).toBeVisible();
}

test("from a raw address to a VM that can start on two nodes, and back", async ({ page, open, cluster }) => {
  test.slow();
  const office = await cluster("office", "seven-steps", { changes: true });
  const before = await state(office);
  const vm = `/vms/${office.name}/101?cluster=${office.name}`;
  const plan = page.getByRole("dialog");
  const place = page.getByRole("table", { name: "Where it can start" });

  await test.step("1: the VM uses a raw address", async () => {
    await open(vm, "operator");
    await expect(page.locator(".slots")).toContainText("hostpci0: 0000:01:00,pcie=1");
    await expect(place.getByRole("row", { name: /^office-b/ })).toContainText("cannot start");
  });

  await test.step("2: the finding says what that means", async () => {
    const finding = page.locator(".fnds > li", { hasText: "migration-blocked-raw" });
    await expect(finding).toContainText("VM 101 cannot move away from node office-a, because it names devices by address");
  });

  const undo: string[] = [];
  await test.step("3 to 5: the suggested mapping is taken, looked at and applied", async () => {
    await page.goto(`/mappings?cluster=${office.name}&view=suggestions`);
    const suggestion = page.getByRole("region", { name: "rtx-a4000", exact: true });
    await expect(suggestion).toContainText(/node=office-a.*node=office-b/s);
    await expect(suggestion).toContainText("cad-trial");
    await suggestion.getByRole("button", { name: "Create mapping rtx-a4000" }).click();
    await expect(plan.getByRole("list", { name: "Steps" }).getByRole("listitem")).toHaveCount(1);
    await expect(plan.getByRole("group", { name: "What changes" })).toContainText("path=0000:03:00");
    await apply(page, /Apply 1 step/, "rtx-a4000");
    undo.unshift(...await wayBack(plan));
    await plan.getByRole("button", { name: "Close" }).last().click();
    await expect(suggestion).toHaveCount(0);
  });

  await test.step("6: the VM names the mapping", async () => {
    await page.goto(vm);
    await page.getByRole("button", { name: "Convert VM 101" }).click();
    await expect(plan.getByRole("group", { name: "What changes" })).toContainText("hostpci0: mapping=rtx-a4000,pcie=1");
    await expect(plan.getByRole("group", { name: "What changes" })).toContainText("The same 2 functions before and after");
    await plan.getByRole("radio", { name: /as root@pam/ }).check();
    await plan.getByLabel("Password of root@pam").fill(rootPassword);
    await plan.getByLabel("Second factor", { exact: true }).fill(rootCode);
    await apply(page, /Apply 1 step/, "cad-trial");
    undo.unshift(...await wayBack(plan));
    await plan.getByRole("button", { name: "Close" }).last().click();
  });

  await test.step("7: where it can start now", async () => {
    await expect(page.locator(".slots")).toContainText("hostpci0: mapping=rtx-a4000,pcie=1");
    await expect(place.getByRole("row", { name: /^office-b/ })).toContainText("can start");
    await expect(place.getByRole("row", { name: /^office-b/ })).not.toContainText("cannot");
    await expect(page.getByRole("button", { name: "Convert VM 101" })).toHaveCount(0);
  });

  await test.step("the way back restores the first state", async () => {
    expect(undo).toHaveLength(2);
    expect(await state(office)).not.toEqual(before);
    for (const line of undo) await office.command("office-a", ...line.split(" "));
    expect(await state(office)).toEqual(before);
  });
});
