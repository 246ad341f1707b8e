import { expect, test } from "./test";

test("beside a drawer the navigation is signs alone, none of them cut", async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open("/gpus?cluster=lab&node=pve-a&device=0000:01:00.0");
  await expect(page.getByRole("complementary")).toContainText("References");
  const nav = page.getByRole("navigation");
  await expect(nav).toHaveCSS("width", "56px");
  expect(await nav.evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(56);
});
