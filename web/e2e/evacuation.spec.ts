import { alter } from "./fault";
import { expect, test } from "./test";

const evacuation = /\/evacuation$/;

test("the row of a node on the overview leads to its evacuation, and so does the node that is chosen on the page of GPUs", async ({ page, open }) => {
  await open("/");
  await page.getByRole("region", { name: "pve-b" }).getByRole("link", { name: "Evacuation" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Evacuation of pve-b" })).toBeVisible();
  await open("/gpus");
  const main = page.locator("#main");
  await expect(main.getByRole("row", { name: /render-1/ })).toBeVisible();
  await expect(main.getByRole("link", { name: "Evacuation" })).toHaveCount(0);
  await main.getByRole("combobox", { name: "Node" }).selectOption("pve-a");
  await main.getByRole("link", { name: "Evacuation" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Evacuation of pve-a" })).toBeVisible();
});

test("every VM that cannot simply leave says why, and where it could start", async ({ page, open }) => {
  await open("/evacuate?node=pve-a");
  const row = page.getByRole("table", { name: "Cannot simply leave" }).getByRole("row").filter({ hasText: "render-1" });
  await expect(row).toContainText("Move while running");
  await expect(row).toContainText("pve-b: no: mapping rtx-3090 (hostpci0) is not marked live-migration-capable.");
  const places = row.locator(".places > li");
  await expect(places.filter({ hasText: "pve-b" })).toContainText("hostpci0 gets 0000:03:00.0, 0000:03:00.1.");
  await expect(places.filter({ hasText: "pve-c" }).locator(".verdict.no")).toHaveText("cannot start");
  await expect(places.filter({ hasText: "pve-d" }).locator(".verdict.unk")).toHaveText("unknown");
  const cad = page.getByRole("table", { name: "Cannot simply leave" }).getByRole("row").filter({ hasText: "win11-cad" });
  await expect(cad).toContainText("no: hostpci0 and hostpci1 name addresses.");
  await expect(page.getByRole("table", { name: "Can leave" }).getByRole("row").filter({ hasText: "llm-1" })).toContainText("pve-b");
  await expect(page.locator(".silent").filter({ hasText: "pve-d" })).toContainText("Switch the node on");
});

test("all together: each VM with a place has devices of its own", async ({ page, open }) => {
  await open("/evacuate?node=pve-a");
  const table = page.getByRole("table", { name: "All together" });
  await expect(table.getByRole("row").filter({ hasText: "render-1" })).toContainText("pve-b");
  await expect(table.getByRole("row").filter({ hasText: "legacy-box" })).toContainText("no node is known on which it can start");
  await expect(page.getByText("2 of 5 VMs have a place beside the others")).toBeVisible();
  const devices = (await table.getByRole("link", { name: /^0000:/ }).allTextContents());
  expect(devices.length).toBe(4);
  expect(new Set(devices).size).toBe(devices.length);
});

test("a VM that would find a place alone, but not beside the others, is told apart", async ({ page, open }) => {
  await alter(page, [{
    what: evacuation,
    answer: (said) => ({
      ...said,
      together: { cut: true, vms: [
        { vmid: 100, name: "render-1", node: "pve-b", alone: true, devices: ["0000:03:00.0"] },
        { vmid: 101, name: "render-2", node: null, alone: true, devices: [] },
      ] },
    }),
  }]);
  await open("/evacuate?node=pve-a");
  await expect(page.getByRole("table", { name: "All together" }).getByRole("row").filter({ hasText: "render-2" })).toContainText("no place beside the others");
  await expect(page.getByText("one for more VMs may exist")).toBeVisible();
});

test("a node that was not read has VMs of which nothing is known, not VMs that can leave", async ({ page, open }) => {
  await open("/evacuate?node=pve-d");
  await expect(page.locator(".silent").filter({ hasText: "Not read: VM 401." })).toContainText("pve-d has to answer");
  await expect(page.locator(".scope.incomplete")).toBeVisible();
  await expect(page.getByRole("table", { name: "Can leave" })).toHaveCount(0);
  await expect(page.getByText("No PCI device keeps a VM on this node")).toHaveCount(0);
});

test("another node is one choice away, and without one the page asks for it", async ({ page, open }) => {
  await open("/evacuate");
  await expect(page.getByText("Choose the node that is to be emptied.")).toBeVisible();
  await page.getByRole("combobox", { name: "Node" }).selectOption("pve-c");
  await expect(page).toHaveURL(/node=pve-c/);
  await expect(page.getByRole("row").filter({ hasText: "router" })).toContainText("only root@pam can force it: hostpci0 names an address");
  await open("/evacuate?node=pve-z");
  await expect(page.locator(".failed")).toContainText("There is no node with this name in cluster lab.");
});

test("of all clusters the page does not guess one", async ({ page, open }) => {
  await open("/evacuate?cluster=*&node=pve-a");
  await expect(page.getByText("Choose the cluster of the node.")).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await page.locator("#main").getByRole("link", { name: "office" }).click();
  await page.getByRole("combobox", { name: "Node" }).selectOption("office-b");
  await expect(page.getByRole("row").filter({ hasText: "games-room" })).toContainText("office-a");
  await open("/doctor?cluster=*&node=pve-a&device=0000:01:00.0");
  await expect(page.getByText("No device is chosen")).toBeVisible();
});
