import { alter, breakable, expectFailure } from "./fault";
import { expect, test } from "./test";

const order = ["IOMMU", "Devices exist", "Group members", "Driver", "Mapping entries", "VM configuration", "Who else holds it", "Reset", "Firmware"];

test("the checks stand in their order, each passed, failed or out of sight", async ({ page, open }) => {
  await open("/vms/lab/110");
  const checks = page.locator(".checks > li");
  await expect(checks.locator("b")).toHaveText(order);
  await expect(checks.filter({ hasText: "Mapping entries" })).toContainText("Entry 1 of rtx-4090-pool (0000:03:00) fits the hardware.");
  await expect(checks.filter({ hasText: "Mapping entries" }).locator(".w")).toHaveText("passed");
  const driver = checks.filter({ hasText: "Driver" });
  await expect(driver.locator(".w")).toHaveText("cannot see");
  await expect(driver.locator("code")).toHaveText(["lspci -nnk -s 0000:03:00", "lspci -nnk -s 0000:04:00"]);
  await expect(driver).toContainText("Good output: “Kernel driver in use: vfio-pci”, or no driver");
  await expect(page.getByText("6 passed · 0 failed · 3 cannot be seen from here")).toBeVisible();
  await expect(page.getByText("begin here")).toHaveCount(0);
});

test("the cause to begin with is marked", async ({ page, open }) => {
  await open("/vms/lab/101");
  const first = page.locator(".checks > li").filter({ hasText: "begin here" });
  await expect(first).toHaveCount(1);
  await expect(first.locator("b")).toHaveText("Who else holds it");
  await expect(first).toContainText("begin here: it stops the start");
  await expect(first).toContainText("VM 100 runs and holds one of the devices.");
});

test("a command is copied as it stands", async ({ page, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open("/vms/lab/101");
  await page.locator(".checks > li").filter({ hasText: "Firmware" }).getByRole("button", { name: "Copy" }).first().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("dmesg | grep -e DMAR -e IOMMU -e AMD-Vi");
});

test("a fix is lines for a file, or advice without anything to copy", async ({ page, open }) => {
  await alter(page, [{
    what: /\/vms\/110\/doctor$/,
    answer: (said) => ({
      ...said, first: "iommu",
      checks: [{
        code: "iommu", state: "failed", stops_start: true, commands: [], good_output: null, good_code: null,
        readings: [{ code: "iommu_absent", sentence: "/sys/class/iommu of node pve-a is empty: its IOMMU is off.", params: { node: "pve-a" } }],
        fixes: [
          { code: "firmware_iommu", file: null, text: "VT-d (Intel) or AMD-Vi / IOMMU (AMD): Enabled" },
          { code: "systemd_boot", file: "/etc/kernel/cmdline", text: "intel_iommu=on iommu=pt" },
          { code: "run", file: null, text: "proxmox-boot-tool refresh" },
        ],
      }],
    }),
  }]);
  await open("/vms/lab/110");
  const check = page.locator(".checks > li");
  await expect(check).toContainText("Switch it on in the firmware");
  await expect(check).toContainText("If it boots with systemd-boot, add to the only line of /etc/kernel/cmdline:");
  await expect(check.locator("code")).toHaveText(["intel_iommu=on iommu=pt", "proxmox-boot-tool refresh"]);
});

test("what was not read passes no check", async ({ page, open }) => {
  await open("/vms/lab/401");
  const checks = page.locator(".checks > li");
  await expect(checks.filter({ hasText: "VM configuration" })).toContainText("The configuration of VM 401 was not read.");
  await expect(checks.filter({ hasText: "Devices exist" }).locator(".w")).toHaveText("cannot see");
  await expect(checks.filter({ hasText: "IOMMU" }).first().locator(".w")).toHaveText("cannot see");
  await expect(checks.locator(".w").filter({ hasText: "passed" })).toHaveCount(0);
  await expect(page.getByText("No findings about this VM")).toHaveCount(0);
});

test("the doctor of a VM fails by itself, and is asked again", async ({ page, open }) => {
  const server = await breakable(page, /\/vms\/110\/doctor$/);
  server.broken = "r-4715";
  await open("/vms/lab/110");
  await expectFailure(page.locator("#main"), "r-4715");
  await expect(page.getByRole("table", { name: "Slots" })).toBeVisible();
  await expect(page.locator(".checks")).toHaveCount(0);
  server.broken = null;
  await page.locator(".failed").filter({ hasText: "r-4715" }).getByRole("button", { name: "Retry" }).click();
  await expect(page.locator(".checks > li")).toHaveCount(order.length);
});

test("a device has its doctor, one press from its drawer and at an address of its own", async ({ page, open }) => {
  await open("/gpus?node=pve-a&device=0000:01:00.0");
  await page.locator(".drawer").getByRole("link", { name: "Doctor" }).click();
  await expect(page).toHaveURL(/\/doctor\?.*node=pve-a/);
  await expect(page.getByRole("heading", { level: 1, name: "Doctor: 0000:01:00.0 on pve-a" })).toBeVisible();
  const held = page.locator(".checks > li").filter({ hasText: "Who else holds it" });
  await expect(held).toContainText("VM 100 runs");
  await page.goBack();
  await expect(page.locator(".drawer")).toBeVisible();
});

test("an address without a device says how to choose one, and one that is not there that it is not", async ({ page, open }) => {
  await open("/doctor");
  await expect(page.getByText("Open a device and choose Doctor there.")).toBeVisible();
  await open("/doctor?node=pve-a&device=0000:ee:00.0");
  await expect(page.locator(".failed")).toContainText("0000:ee:00.0");
});

test("readings, fixes and good output are told in the reader's language", async ({ page, open }) => {
  await page.addInitScript(() => { localStorage.setItem("pciatlas.language", "ru"); });
  await open("/vms/lab/101");
  const checks = page.locator(".checks > li");
  await expect(checks.filter({ hasText: "Кто ещё занимает" })).toContainText("Одно из устройств занимает работающая ВМ: 100.");
  await expect(checks.filter({ hasText: "Драйвер" })).toContainText("Как должно быть: «Kernel driver in use: vfio-pci» или без драйвера");
  await expect(page.locator(".checks [lang=en]")).toHaveCount(0);
});
