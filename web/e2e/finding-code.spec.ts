import { expect, expectAccessible, expectNoSideways, test } from "./test";

const languages = [
  ["en", "When it is found", /^A hostpci line that counts at the next start/, /^Find the device with lspci -nnD/],
  ["zh-CN", "何时发现", /^在虚拟机下次启动时有效的某个 hostpci 行/, /^用 lspci -nnD 找到设备/],
  ["ru", "Когда выдаётся", /^Строка hostpci, которая действует при следующем запуске/, /^Найдите устройство командой lspci -nnD/],
] as const;

for (const [locale, head, when, todo] of languages) {
  test.describe(locale, () => {
    test.use({ locale });

    for (const [width, colorScheme] of [[1440, "light"], [390, "dark"]] as const) {
      test(`a link explains a code, ${width}, ${colorScheme}`, async ({ page, open }) => {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await open("/findings?about=device-not-present");
        const drawer = page.locator(".drawer");
        await expect(drawer.getByRole("heading", { name: head })).toBeVisible();
        for (const text of [drawer.getByText(when), drawer.getByText(todo)]) {
          await expect(text).toBeVisible();
          expect(await text.evaluate((element) => element.closest("[lang]")?.getAttribute("lang"))).toBe(locale);
        }
        await expect(drawer.getByText("device-not-present", { exact: true })).toBeVisible();
        await expectAccessible(page);
        await expectNoSideways(page);
        await page.keyboard.press("Escape");
        await expect(drawer).toHaveCount(0);
        await expect(page).not.toHaveURL(/about=/);
      });
    }

    test("a finding says what to do in the reader's words and gives its commands to copy", async ({ page, open, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await open("/findings?code=device-not-present");
      const finding = page.locator(".fnds > li").first();
      await finding.locator("summary").click();
      if (locale !== "en") await expect(finding.getByText(todo)).toBeVisible();
      const line = finding.locator(".raw").filter({ hasText: "lspci -nnD" });
      await line.getByRole("button").click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("lspci -nnD");
      await expectAccessible(page);
    });
  });
}

test("the texts about codes are not loaded before somebody asks for them", async ({ page, open }) => {
  const asked: string[] = [];
  page.on("request", (request) => { if (request.url().includes("finding-about")) asked.push(request.url()); });
  await page.addInitScript(() => { localStorage.setItem("pciatlas.language", "ru"); });
  await open("/findings?code=device-not-present");
  await expect(page.locator(".fnds > li").first()).toBeVisible();
  expect(asked).toEqual([]);
  await page.locator(".fnds summary").first().click();
  await expect(page.locator(".fnds").getByText(/^Найдите устройство/).first()).toBeVisible();
  expect(asked).toHaveLength(1);
});

test("without its texts a language shows the server's English, marked as such", async ({ page, open }) => {
  await page.route("**/finding-about*", (route) => route.abort());
  await page.addInitScript(() => { localStorage.setItem("pciatlas.language", "ru"); });
  await open("/findings?about=device-not-present");
  const english = page.locator(".drawer").getByText(/^Find the device with lspci -nnD/);
  await expect(english).toBeVisible();
  await expect(english).toHaveAttribute("lang", "en");
});

test("the drawer takes the focus back to the code that opened it", async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/findings?code=device-not-present");
  const code = page.locator(".fnds").getByRole("button", { name: "device-not-present" }).first();
  await code.click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(code).toBeFocused();
});

test("a code that the server does not know is said to be unknown", async ({ page, open }) => {
  await open("/findings?about=no-such-code");
  const drawer = page.locator(".drawer");
  await expect(drawer.getByRole("heading", { name: "no-such-code" })).toBeVisible();
  await expect(drawer.getByText("This server knows no such code.")).toBeVisible();
  await expectAccessible(page);
});
