import { defineConfig } from "@playwright/test";
import { browser } from "./e2e/browser";

// Makes a sheet of pictures for each page, to be looked at: npm run pictures.
export default defineConfig({
  testDir: "e2e/pictures",
  testMatch: "**/*.pictures.ts",
  globalSetup: "./e2e/demo.ts",
  outputDir: "test-results",
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  reporter: [["list"]],
  use: browser,
});
