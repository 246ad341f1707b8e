import { nodeAddress } from "./bad";
import { expect, test } from "./test";

for (const [what, shift] of [["an hour ahead", 3_600_000], ["an hour behind", -3_600_000]] as const) {
  test(`a clock that is ${what} makes nothing old or fresh`, async ({ page, open }) => {
    await page.clock.install({ time: Date.now() + shift });
    await open("/gpus?cluster=lab");
    await expect(page.getByRole("table", { name: "GPU resources" })).toContainText("render-1");
    await expect(page.getByRole("banner")).toContainText(/read \d+ s ago/);
    await expect(page.locator(".banner")).toHaveCount(0);
    // As when the machine sleeps: the timers fire at most once.
    await page.clock.fastForward(600_000);
    await expect(page.locator(".banner")).toContainText(/1\d min \d+ s ago/);
  });
}

test("what a kept answer tells is as old as its reading", async ({ page, open }) => {
  await page.route("**/api/v1/clusters/lab/findings", async (route) => {
    const response = await route.fetch();
    const answer = await response.json() as { read_at: string };
    answer.read_at = new Date(Date.now() - 300_000).toISOString();
    await route.fulfill({ response, json: answer });
  });
  await open("/findings?cluster=lab");
  await expect(page.locator(".banner")).toContainText(/5 min \d+ s ago/);
});

test("an answer that something in between has kept is as old as its reading after a refresh too", async ({ page, open }) => {
  let kept: object | undefined;
  let answers = 0;
  await page.route(nodeAddress("pve-a"), async (route) => {
    const response = await route.fetch();
    kept ??= { ...(await response.json() as object), read_at: new Date(Date.now() - 300_000).toISOString() };
    answers += 1;
    await route.fulfill({ response, json: kept });
  });
  await open("/gpus?cluster=lab");
  await expect(page.locator(".banner")).toContainText(/5 min \d+ s ago/);
  await expect(page.locator(".skel")).toHaveCount(0);
  await page.locator(".banner").getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => answers).toBe(2);
  await expect(page.locator(".banner").getByRole("button", { name: "Refresh" })).toBeEnabled();
  await expect(page.locator(".banner")).toContainText(/5 min \d+ s ago/);
});
