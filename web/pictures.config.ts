import { defineConfig } from "@playwright/test";
import { browser } from "./e2e/browser";

// Makes a sheet of pictures for each page, to be looked at: npm run pictures.
// Those of README.md, which are committed, are made by npm run readme-pictures.
export default defineConfig({
  testDir: "e2e/pictures",
  projects: [
    { name: "sheets", testMatch: "**/*.pictures.ts" },
    { name: "readme", testMatch: "**/readme.ts" },
  ],
  globalSetup: "./e2e/demo.ts",
  outputDir: "test-results",
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  reporter: [["list"]],
  use: browser,
});
