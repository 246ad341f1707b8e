import type { Route } from "@playwright/test";
import { alter, nodeAddress, refuse, type Device, type Json, type NodeAnswer } from "./bad";
import { expect, test } from "./test";

interface Bad {
  what: string;
  says: RegExp;
  answer: (route: Route) => Promise<void>;
}

function body(text: string, status = 200, contentType = "application/json"): (route: Route) => Promise<void> {
  return (route) => route.fulfill({ status, contentType, body: text });
}

/** The server's own answer, with something in it that is wrong. */
function spoilt(change: (answer: Record<string, Json>, first: Record<string, Json>) => void): (route: Route) => Promise<void> {
  return async (route) => {
    const response = await route.fetch();
    const answer = await response.json() as Record<string, Json>;
    change(answer, (answer["devices"] as Record<string, Json>[])[0] ?? {});
    await route.fulfill({ response, json: answer });
  };
}

const notOurs = /is not one of pciatlas/;
const bad: Bad[] = [
  { what: "a page of a proxy, as a success", says: notOurs, answer: body("<html>Sign in to the network</html>", 200, "text/html") },
  { what: "a page of a proxy, as a failure", says: /status 502.*is not one of pciatlas/, answer: body("<html>Bad Gateway</html>", 502, "text/html") },
  { what: "JSON that is cut off", says: notOurs, answer: body('{"node":"pve-a","devices":[{"addr') },
  { what: "null", says: notOurs, answer: body("null") },
  { what: "a list", says: notOurs, answer: body("[]") },
  { what: "nothing", says: notOurs, answer: (route) => route.fulfill({ status: 204 }) },
  { what: "not modified, of an answer that nobody kept", says: /status 304/, answer: (route) => route.fulfill({ status: 304 }) },
  { what: "another object", says: /another form.*\(at checked_vms\)/, answer: body('{"hello":"world"}') },
  { what: "a field that is missing", says: /at devices\[0\]\.references/, answer: spoilt((_, first) => { delete first["references"]; }) },
  { what: "a text for a number", says: /at devices\[0\]\.iommu_group/, answer: spoilt((_, first) => { first["iommu_group"] = "14"; }) },
  { what: "a number for a text", says: /at devices\[0\]\.state/, answer: spoilt((_, first) => { first["state"] = 3; }) },
  { what: "an object for a list", says: /at devices/, answer: spoilt((answer) => { answer["devices"] = {}; }) },
  { what: "a time that is none", says: /at read_at/, answer: spoilt((answer) => { answer["read_at"] = "a while ago"; }) },
  { what: "a failure with its number", says: /Broken\./, answer: (route) => refuse(route, 500, "internal_error", "Broken.") },
  { what: "too many requests", says: /Slow down\. Try again after 7 s\./, answer: (route) => refuse(route, 429, "busy", "Slow down.", { "Retry-After": "7" }) },
  { what: "too many requests for a proxy", says: /status 429.*Try again after 9 s\./, answer: (route) => route.fulfill({ status: 429, headers: { "Retry-After": "9" }, body: "slow down" }) },
  { what: "too large for a proxy", says: /status 413/, answer: body("Request Entity Too Large", 413, "text/plain") },
];

test("of one node a bad answer is said, whatever it is, and the others stand", async ({ page, open }) => {
  let now = bad[0];
  await page.route(nodeAddress("pve-a"), (route) => now?.answer(route) ?? route.abort());
  await open("/gpus?cluster=lab");
  const unread = page.locator(".hatched", { hasText: "pve-a" });
  const rows = page.getByRole("table", { name: "GPU resources" });
  for (const one of bad) {
    await test.step(one.what, async () => {
      now = one;
      await unread.getByRole("button", { name: "Retry pve-a" }).click();
      await expect(unread).toContainText(one.says);
      await expect(rows.getByRole("row", { name: /pve-a/ })).toHaveCount(0);
      await expect(rows.getByRole("row", { name: /0000:03:00\.0.*pve-c/ })).toBeVisible();
      await expect(page.locator(".scope.incomplete")).toContainText("pve-a not read");
    });
  }
  await page.unroute(nodeAddress("pve-a"));
  await unread.getByRole("button", { name: "Retry pve-a" }).click();
  await expect(rows.getByRole("row", { name: /0000:01:00\.0.*pve-a/ })).toBeVisible();
  await expect(unread).toHaveCount(0);
});

test("on a page of one list a failure tells its code and request, and Retry reads again", async ({ page, open }) => {
  await page.route("**/api/v1/tokens", (route) => refuse(route, 500, "internal_error", "Broken."));
  await open("/tokens");
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText(/Broken\..*internal_error.*request feedbeef.*tried \d/);
  await page.unroute("**/api/v1/tokens");
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect(alert).toHaveCount(0);
  await expect(page.locator(".skel")).toHaveCount(0);
});

test("when nobody can say who is signed in, that is said, and Retry opens the page", async ({ page, open }) => {
  await page.route("**/api/v1/session", (route) => (route.request().method() === "GET" ? route.fulfill({ contentType: "text/html", body: "<html></html>" }) : route.continue()));
  await open("/tokens");
  await expect(page.getByRole("alert")).toContainText("is not one of pciatlas");
  await page.unroute("**/api/v1/session");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();
});

function makeNewer(device: Device): void {
  device.state = "leased";
  for (const ref of device.references) Object.assign(ref, { phase: "warming", vm_status: "paused" });
}

test("words of a newer server are shown as unknown, and hide nothing", async ({ page, open }) => {
  await alter<NodeAnswer>(page, nodeAddress("pve-a"), (answer) => {
    for (const device of answer.devices.filter(({ address }) => address === "0000:01:00.0")) makeNewer(device);
    answer.issues.push({ ...answer.issues[0], code: "moon_phase", blocks: true, message: "The moon is full.", node: "pve-a", vmid: null, slot: null, mapping: null, devices: null } as NodeAnswer["issues"][number]);
  });
  await alter<Device>(page, /nodes\/pve-a\/devices\//, makeNewer);
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  const row = page.getByRole("table", { name: "GPU resources" }).getByRole("row", { name: /0000:01:00\.0/ });
  await expect(row).toContainText("unknown: leased");
  const drawer = page.getByRole("complementary");
  await expect(drawer).toContainText("unknown: leased");
  await expect(drawer).toContainText("unknown: warming");
  await expect(drawer).toContainText("unknown: paused");
  await expect(drawer).toContainText("2 VMs name it: 2 in a phase that this page does not know");
  await expect(drawer).toContainText("VM 100 (render-1) and VM 101 (render-2) name it in hostpci0; this page does not know what these lines are waiting for.");
  await expect(page.locator(".scope.incomplete")).toContainText("unknown: moon_phase");
  await page.getByRole("button", { name: /^Needs review/ }).click();
  await expect(row).toBeVisible();
});

test("a finding of a newer server stands with its own sentence", async ({ page, open }) => {
  await alter<{ findings: Record<string, Json>[] }>(page, "**/api/v1/clusters/lab/findings", ({ findings }) => {
    Object.assign(findings[0] ?? {}, { code: "flux-decay", severity: "fatal", sentence: "The flux of 0000:01:00.0 decays." });
  });
  await open("/findings?cluster=lab");
  const item = page.getByRole("listitem").filter({ hasText: "The flux of 0000:01:00.0 decays." });
  await expect(item.getByRole("img", { name: "unknown: fatal" })).toBeVisible();
  await expect(item).toContainText("flux-decay");
});
