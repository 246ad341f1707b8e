import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, type Running } from "./server";
import { expect, expectAccessible, test as base } from "./test";

/** A server that nobody has set up yet, and the simulated cluster of a demo. */
interface Fresh {
  server: Running;
  demo: Running;
}

const test = base.extend<object, { fresh: Fresh }>({
  fresh: [async ({ browserName }, provide) => {
    const data = await mkdtemp(join(tmpdir(), `pciatlas-${browserName}-`));
    const server = await run("serve", "--listen", "127.0.0.1:0", "--data", data, "--allow-local-endpoints");
    const demo = await run("demo", "--listen", "127.0.0.1:0");
    await provide({ server, demo });
    await Promise.all([server.stop(), demo.stop()]);
    await rm(data, { recursive: true });
  }, { scope: "worker" }],
  baseURL: async ({ fresh }, provide) => { await provide(fresh.server.url); },
});

const password = "a long new password";

test("an empty server is set up by its link, is told of a cluster, and shows its devices", async ({ page, fresh }) => {
  test.slow();
  const link = /http:\S+\/setup#\S+/.exec(fresh.server.said)?.[0] ?? "";
  const main = page.locator("#main");
  const dialog = page.getByRole("dialog");

  await test.step("the link makes the first administrator", async () => {
    await page.goto("/sign-in");
    await expect(main).toContainText("First start? Open the one-time set-up link");
    await page.goto(link);
    await expect(page).toHaveURL(/\/setup$/);
    await page.getByLabel("Name").fill("first");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Make the administrator and sign in" }).click();
    await expect(page.getByRole("button", { name: "Account first, Administrator" })).toBeVisible();
  });

  await test.step("the link works once", async () => {
    const again = await page.context().newPage();
    await again.goto(link);
    await again.getByLabel("Name").fill("second");
    await again.getByLabel("Password").fill(password);
    await again.getByRole("button", { name: "Make the administrator and sign in" }).click();
    await expect(again.getByRole("alert")).toBeVisible();
    await again.close();
  });

  await test.step("each page says that there is no cluster", async () => {
    for (const path of ["/", "/gpus", "/vms", "/findings", "/desktops"]) {
      await page.goto(path);
      await expect(main.getByText("No cluster is registered")).toBeVisible();
      await expect(main.getByRole("link", { name: "Clusters" })).toBeVisible();
    }
    await expectAccessible(page);
  });

  await test.step("a cluster is tested, trusted and added", async () => {
    const scan = /--endpoint (\S+) --token-file '?([^\s']+)'? --tls-fingerprint (\S+)/.exec(fresh.demo.said);
    const [, endpoint = "", tokenFile = "", fingerprint = ""] = scan ?? [];
    const [id = "", secret = ""] = (await readFile(tokenFile, "utf8")).trim().split("=");
    await main.getByRole("link", { name: "Clusters" }).click();
    await page.getByRole("button", { name: "Add cluster" }).click();
    await dialog.getByLabel("Name").fill("lab");
    await dialog.getByLabel("Entry nodes").fill(endpoint);
    await expect(dialog).toContainText("Without the secret only the certificate is looked at.");
    await dialog.getByRole("button", { name: "Test connection" }).click();
    await expect(dialog).toContainText("not trusted");
    await expect(dialog.getByText(fingerprint, { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "It is the same as on the node: trust it" }).click();
    await expect(dialog.getByLabel("Certificate fingerprints (SHA-256)")).toHaveValue(fingerprint);
    await expect(dialog).toContainText("The token was not tried.");
    await dialog.getByLabel("API token").fill(id);
    await dialog.getByLabel("Secret of the token").fill(secret);
    await dialog.getByRole("button", { name: "Test connection" }).click();
    await expect(dialog).toContainText("The connection works.");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add cluster" }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole("row", { name: /^lab/ })).toContainText(id);
    expect(await (await page.request.get("/api/v1/clusters")).text()).not.toContain(secret);
  });

  await test.step("its devices are there", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await expect(page.locator("a.tile")).toHaveCount(12);
  });

  await test.step("it is changed, and removed after its name is typed", async () => {
    await page.goto("/clusters");
    await page.getByRole("button", { name: "Change lab" }).click();
    await expect(dialog.getByLabel("Secret of the token")).toHaveValue("");
    await dialog.getByText("Further settings").click();
    await dialog.getByLabel("Desktop tag").fill("seats");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("row", { name: /^lab/ })).toContainText("seats");
    await page.getByRole("button", { name: "Remove lab" }).click();
    await dialog.getByLabel("Type lab to confirm").fill("lab");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect(main.getByText("No cluster is registered")).toBeVisible();
  });

  await test.step("the audit log tells all of it", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Audit log" }).click();
    const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
    for (const action of ["Removed cluster", "Changed cluster", "Added cluster", "Completed first set-up"]) {
      await expect(rows.filter({ hasText: action }).first()).toContainText("done");
    }
  });
});
