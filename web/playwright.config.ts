import { defineConfig } from "@playwright/test";
import { browser, light } from "./e2e/browser";

// What is drawn on paper takes the whole browser.
const paper = /paper|print/i;

export default defineConfig({
  testDir: "e2e",
  testIgnore: "pictures/**",
  globalSetup: "./e2e/demo.ts",
  outputDir: "test-results",
  // Most of a test is waiting for the browser.
  workers: 4,
  fullyParallel: true,
  forbidOnly: Boolean(process.env["CI"]),
  // What fails once on a busy machine and then passes is told as flaky, by name.
  retries: process.env["CI"] ? 1 : 0,
  // A machine that does other things as well takes half a minute for what else takes two seconds.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: { ...browser, screenshot: "only-on-failure" },
  projects: light === null ? [] : [
    { name: "light", grepInvert: paper, use: light },
    { name: "whole", grep: paper },
  ],
});
