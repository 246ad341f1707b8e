import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setLanguage, startLanguage, type Locale } from "../i18n";
import { loadAbout } from "../i18n/about";
import { Remedies } from "./remedy";

afterEach(cleanup);

const remedy = ["Look for the device on the node: lspci -nnD", "Do not start VM 101 before that."];

async function show(locale: Locale, shown = true) {
  await startLanguage();
  await setLanguage(locale);
  const found = render(<QueryClientProvider client={new QueryClient()}><Remedies finding={{ code: "device-not-present", remedy }} shown={shown} /></QueryClientProvider>);
  return found.container;
}

test.each([["zh-CN", /^用 lspci -nnD 找到设备/], ["ru", /^Найдите устройство командой lspci -nnD/]] as const)(
  "%s: what to do in the reader's words, then the server's own steps", async (locale, words) => {
    await show(locale);
    const own = await screen.findByText(words, {}, { timeout: 20_000 });
    expect(own.closest("[lang]")?.getAttribute("lang")).toBe(locale);
    for (const step of ["Look for the device on the node:", "Do not start VM 101 before that."]) {
      expect(screen.getByText(step).getAttribute("lang")).toBe("en");
    }
    expect(screen.getByText("lspci -nnD").tagName).toBe("CODE");
  },
  30_000,
);

test("English has the server's steps alone", async () => {
  const container = await show("en");
  expect([...container.querySelectorAll("p")].map((line) => line.textContent)).toEqual(["Look for the device on the node:", "Do not start VM 101 before that."]);
});

test("the steps stand there before they are looked at, without the general words", async () => {
  await loadAbout("ru");
  const container = await show("ru", false);
  await new Promise((resolve) => { setTimeout(resolve, 50); });
  expect(container.textContent).toBe("Look for the device on the node:lspci -nnDDo not start VM 101 before that.");
});
