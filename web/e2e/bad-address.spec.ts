import { expect, test } from "./test";

const markup = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
const long = "x".repeat(4000);

const noCluster = "There is no cluster with this name.";
const noVM = "There is no VM with this number";

/** Of each address, what the page says. */
const addresses: readonly [string, string][] = [
  ["/gpus?cluster=lab&node=gone", "There is no such node in this cluster"],
  ["/gpus?cluster=lab&node=pve-a&device=0000:99:00.0", "There is no PCI function 0000:99:00.0 on node pve-a."],
  [`/gpus?cluster=lab&node=pve-a&device=${markup}`, "<img src=x onerror=alert(1)>"],
  ["/gpus?cluster=nope", noCluster],
  [`/gpus?cluster=lab&q=${long}`, "No device matches"],
  ["/gpus?cluster=lab&state=leased&state=referenced&node=pve-a&node=pve-b", "render-1"],
  [`/gpus?cluster=${markup}`, noCluster],
  ["/?cluster=nope", noCluster],
  ["/vms?cluster=nope", noCluster],
  ["/vms/lab/99999", "There is no VM 99999 among the 11 VMs of cluster lab."],
  ["/vms/nope/100", noCluster],
  ["/vms/lab/abc", noVM],
  ["/vms/lab/0", noVM],
  [`/vms/lab/${markup}`, noVM],
  ["/vms/lab/99999999999999999999", noVM],
  ["/vms?cluster=lab&node=gone", "No VM fits the filter"],
  ["/desktops?cluster=nope", noCluster],
  ["/findings?cluster=nope", noCluster],
  ["/findings?cluster=lab&about=no-such-code", "This server knows no such code."],
  ["/findings?cluster=lab&severity=fatal&code=no-such&node=%00", "No finding fits the filter"],
  ["/audit?since=2026-13-99&until=yesterday", "Signed in"],
  ["/audit?entry=0", "The log has no entry with this number."],
  ["/audit?entry=999999999", "The log has no entry with this number."],
  ["/audit?entry=1e300", "The log has no entry with this number."],
  [`/audit?entry=${markup}`, "The log has no entry with this number."],
  [`/${markup}/../..//nope`, "No such page"],
  ["/no-such-page?cluster=lab", "No such page"],
  ["/gpus/", "GPU resources"],
];

test("an address of something that is not there, or of nonsense, is said within the frame", async ({ page, open }) => {
  test.setTimeout(240_000);
  page.on("dialog", () => { throw new Error("a script of the address has run"); });
  await open("/audit");
  for (const [address, says] of addresses) {
    await test.step(address.slice(0, 80), async () => {
      await page.goto(address);
      await expect(page.locator("#root")).toContainText(says);
      await expect(page.getByRole("navigation")).toBeVisible();
      await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
      await expect(page.locator("main img[src], .drawer img[src]")).toHaveCount(0);
      await expect(page.locator("body")).not.toContainText("The console made a mistake");
    });
  }
});

test("an address with a broken escape is answered, and the console goes on", async ({ page, open }) => {
  await open("/no-such-page");
  await page.goto("/gpus?cluster=lab&q=%E0%A4%A");
  await expect(page.getByRole("navigation")).toBeVisible();
  await page.goto("/setup#%");
  await expect(page.getByRole("heading", { name: "First set-up" })).toBeVisible();
});

test("back and forward lead through filters and drawer", async ({ page, open }) => {
  await open("/gpus?cluster=lab");
  await page.getByRole("row", { name: /0000:01:00\.0.*render-1/ }).click();
  await expect(page.getByRole("complementary")).toBeVisible();
  await page.getByRole("link", { name: "Findings", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Findings", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
  await page.goBack();
  await expect(page.getByRole("complementary")).toHaveCount(0);
  await page.goForward();
  await expect(page.getByRole("complementary")).toContainText("0000:01:00.0");
});

test("an entry of the audit log opens also where the filter leaves it out", async ({ page, open }) => {
  await open("/audit?action=cluster.create");
  await page.getByRole("table").getByText("Added cluster").first().click();
  const drawer = page.getByRole("complementary");
  await expect(drawer).toContainText("cluster.create");
  const entry = new URL(page.url()).searchParams.get("entry") ?? "";
  await page.goto(`/audit?action=token.delete&actor=nobody-at-all&entry=${entry}`);
  await expect(page.getByRole("main")).toContainText("No entries");
  await expect(drawer).toContainText("cluster.create");
});
