import { test } from "@playwright/test";
import { makeSheet } from "./sheet";

test("sign-in", async ({ browser }) => {
  await makeSheet(browser, { name: "sign-in", path: "/sign-in", as: null, ready: (page) => page.locator("form").waitFor() });
});
