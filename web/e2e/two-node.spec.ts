import { expect, expectAccessible, expectNoSideways, look, looks, test } from "./test";

// The same model of GPU sits at another address on each of two nodes, and a VM names one by address.
test("a pinned VM, the mapping that covers both nodes, and what would be possible with it", async ({ page, open }) => {
  await open("/vms?cluster=office");
  await page.getByRole("row", { name: /cad-trial/ }).getByText("pinned by address").waitFor();
  await page.getByRole("link", { name: /101 cad-trial/ }).click();

  await test.step("it is pinned: the other node has nothing at this address", async () => {
    const now = page.getByRole("table", { name: "Where it can start" }).getByRole("row").filter({ hasText: "office-b" });
    await expect(now.locator(".verdict.no")).toHaveText("cannot start");
    await expect(now).toContainText("What hostpci0 names is not on node office-b");
    const move = page.locator(".qs .q").filter({ hasText: "Move while powered off" });
    await expect(move).toContainText("only root@pam can force it: hostpci0 names an address. It could not start on office-b then.");
  });

  await test.step("with the mapping that is suggested it could start on the other node", async () => {
    await expect(page.getByText("hostpci0 would name the new mapping rtx-a4000 instead of an address.")).toBeVisible();
    const would = page.getByRole("table", { name: "With the suggested mapping" }).getByRole("row");
    await expect(would.filter({ hasText: "office-b" }).locator(".verdict.yes")).toHaveText("can start");
    await expect(would.filter({ hasText: "office-b" })).toContainText("hostpci0 gets 0000:03:00.0, 0000:03:00.1.");
    await expect(would.filter({ hasText: "office-a" })).toContainText("VM 100, which runs on node office-a, holds");
  });

  for (const [colorScheme, width] of looks) {
    await test.step(`everybody can read it: ${colorScheme}, ${width}`, async () => {
      await look(page, colorScheme, width);
      await expectAccessible(page);
      await expectNoSideways(page);
    });
  }

  await test.step("the suggestion has an entry for each node, and the line that names the address", async () => {
    await page.getByRole("link", { name: "Suggestions" }).click();
    await expect(page).toHaveURL(/\/mappings\?.*view=suggestions/);
    const suggestion = page.getByRole("region", { name: "rtx-a4000" });
    await expect(suggestion).toContainText("node=office-a,path=0000:01:00,");
    await expect(suggestion).toContainText("node=office-b,path=0000:03:00,");
    await expect(suggestion.locator(".rawlines > li").filter({ hasText: "cad-trial" })).toContainText("hostpci0");
  });
});
