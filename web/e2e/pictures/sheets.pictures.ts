import { test } from "@playwright/test";
import { makeSheet } from "./sheet";
import { sheets } from "./sheets";

for (const sheet of sheets) {
  test(sheet.name, async ({ browser }) => {
    await makeSheet(browser, sheet);
  });
}
