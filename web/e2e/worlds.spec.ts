import { demoPassword } from "./test";
import { expect, test } from "./worlds";

test("a simulated cluster is read until it is removed", async ({ page, open, cluster }) => {
  const lab = await cluster("demo");
  await open(`/gpus?cluster=${lab.name}`);
  await expect(page.getByRole("row", { name: /0000:01:00\.0.*render-1/ })).toBeVisible();
  await lab.remove();
  const answer = await page.request.get(`/api/v1/clusters/${lab.name}/nodes`);
  expect(answer.status()).toBe(404);
});

test("requests of a simulated cluster fail until it is healed", async ({ page, open, cluster }) => {
  const lab = await cluster("demo");
  await lab.fault("forbidden", "/nodes/pve-c/hardware/pci");
  await open(`/gpus?cluster=${lab.name}&node=pve-c`);
  await expect(page.getByText("Permission check failed").first()).toBeVisible();
  await lab.heal();
  await expect(async () => {
    const answer = await page.request.get(`/api/v1/clusters/${lab.name}/nodes/pve-c`);
    expect(await answer.json()).toMatchObject({ devices: [{ address: "0000:03:00.0" }] });
  }).toPass();
});

test("nodes of a simulated cluster go off and away", async ({ page, open, cluster }) => {
  const lab = await cluster("demo");
  await lab.removeNode("pve-a");
  await lab.turnOff("pve-b");
  await open(`/?cluster=${lab.name}`);
  await expect(page.getByRole("region", { name: "pve-b" })).toContainText("Not read");
  await expect(page.getByRole("region", { name: "pve-c" }).locator("a.tile")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "pve-a" })).toHaveCount(0);
});

test("a server that is paused answers late, and one that is stopped forgets", async ({ page, baseURL, server }) => {
  const session = () => page.request.get("/api/v1/session");
  await page.request.post("/api/v1/session", { data: { name: "auditor", password: demoPassword }, headers: { Origin: baseURL ?? "" } });
  server.pause();
  const answer = session();
  server.resume();
  expect((await answer).status()).toBe(200);
  await server.stop();
  await expect(session()).rejects.toThrow();
  await server.start();
  expect((await session()).status()).toBe(401);
});

test("after a server that was stopped, there is a new one", async ({ page, open }) => {
  await open("/clusters");
  await expect(page.getByRole("main").getByText("pciatlas@pve!demo").first()).toBeVisible();
});
