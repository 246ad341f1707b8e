import { expect, type Locator, type Page, type Route } from "@playwright/test";
import type { Altered } from "./book";

/** Lets one request of the page fail while `broken` names the request to quote, and pass otherwise. */
export async function breakable(page: Page, what: RegExp): Promise<{ broken: string | null }> {
  const state: { broken: string | null } = { broken: null };
  await page.route(what, (route) => {
    if (state.broken === null || route.request().method() !== "GET") return route.fallback();
    return route.fulfill({
      status: 500, contentType: "application/problem+json",
      json: { type: "about:blank", title: "Internal Server Error", status: 500, code: "internal_error", detail: "Broken on purpose.", request_id: state.broken },
    });
  });
  return state;
}

/** Answers in the place of the server. */
export async function alter(page: Page, altered: readonly Altered[]): Promise<void> {
  for (const { what, answer } of altered) {
    await page.route(what, async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: answer(await response.json() as Record<string, unknown>) });
    });
  }
}

/** The failure that stands on the page tells the request, and Retry reads again. */
export async function expectFailure(main: Locator, request: string): Promise<void> {
  const failure = main.locator(".failed").filter({ hasText: request });
  await expect(failure.first()).toContainText("Broken on purpose.");
  await expect(failure.first()).toHaveRole("alert");
}

export function retry(main: Locator): Promise<void> {
  return main.locator(".failed").first().getByRole("button", { name: "Retry" }).click();
}
