import { book } from "./book";
import { demoPassword, expect, inLab, test, type Account } from "./test";

const changing = /^(?:Add|Change|Convert|Create|Delete|Fix|Import|Make|New|Remove|Test)\b/;

for (const account of ["auditor", "operator", "admin"] as const) {
  test(`${account} finds the buttons that he may press, and no other`, async ({ page, open }) => {
    test.slow();
    await open("/no-such-page", account);
    for (const { path, told, changes } of book.filter(({ bare }) => !bare)) {
      await test.step(path, async () => {
        await page.goto(inLab(path));
        const main = page.locator("#main");
        await expect(told(main).first()).toBeVisible();
        const names = await main.getByRole("button").evaluateAll((buttons) => buttons.map((button) => (button.getAttribute("aria-label") ?? button.textContent).trim()));
        // Whether there are tokens to remove is another test's matter.
        const words = names.flatMap((name) => changing.exec(name)?.[0] ?? []).filter((word) => path !== "/tokens" || word !== "Remove");
        expect([...new Set(words)].sort()).toEqual(changes?.[account] ?? []);
      });
    }
  });
}

const cluster = { name: "refused", entries: ["https://192.0.2.1:8006"], token_id: "a@pve!b", secret: "00000000-0000-0000-0000-000000000000" };

/** What each role may not do, though nothing but the console keeps it from asking. */
const refused: Record<Exclude<Account, "admin">, readonly [method: string, path: string, data?: object][]> = {
  auditor: [
    ["PUT", "/clusters/lab/desktops/9099", { name: "Refused" }],
    ["DELETE", "/clusters/lab/desktops/100"],
  ],
  operator: [
    ["POST", "/clusters", cluster],
    ["DELETE", "/clusters/lab"],
    ["POST", "/clusters/lab/test"],
    ["POST", "/administrators", { name: "refused", role: "admin", password: demoPassword.repeat(3) }],
    ["DELETE", "/administrators/auditor"],
  ],
};

for (const account of ["auditor", "operator"] as const) {
  test(`the server refuses ${account} what the console does not offer`, async ({ page, open, baseURL }) => {
    await open("/no-such-page", account);
    const asked = account === "auditor" ? [...refused.auditor, ...refused.operator] : refused.operator;
    for (const [method, path, data] of asked) {
      const answer = await page.request.fetch(`/api/v1${path}`, { method, headers: { Origin: baseURL ?? "" }, ...(data === undefined ? {} : { data }) });
      expect(answer.status(), `${method} ${path}`).toBe(403);
    }
  });
}
