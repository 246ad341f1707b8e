import { expect, test as base, type BrowserContext, type Page, type PlaywrightWorkerArgs } from "@playwright/test";

export { expectAccessible } from "./axe";
export { expect };

export type Account = "admin" | "operator" | "auditor";

/** Of the demo, and known to everybody. */
export const demoPassword = "demo-only";

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

interface Fixtures {
  /** Gives the browser a session, and opens a path of the cluster lab unless it names another one. */
  open: (path: string, as?: Account) => Promise<void>;
  /** Signs in anew, for tests that end the session. */
  signIn: (as: Account) => Promise<void>;
}

interface WorkerFixtures {
  /** A session of an account with a server that all tests of a worker share, or a new one in its place. */
  session: (origin: string, as: Account, anew?: boolean) => Promise<Cookies>;
}

/**
 * A test against the demo. It fails when the page breaks, its policy stops something, or
 * it asks another host for anything.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  baseURL: process.env["PCIATLAS_URL"] ?? "",
  page: async ({ page, baseURL }, provide) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) faults.push(message.text());
    });
    page.on("request", (asked) => {
      const { protocol, origin } = new URL(asked.url());
      if (protocol.startsWith("http") && baseURL !== "" && origin !== baseURL) faults.push(`asked ${origin}`);
    });
    await provide(page);
    expect(faults, "what the browser complained about").toEqual([]);
  },
  session: [async ({ playwright }, provide) => {
    const sessions = new Map<string, Promise<Cookies>>();
    await provide((origin, as, anew = false) => {
      const key = `${origin} ${as}`;
      const known = (anew ? undefined : sessions.get(key)) ?? newSession(playwright, origin, as);
      sessions.set(key, known);
      return known;
    });
  }, { scope: "worker" }],
  open: async ({ page, session, baseURL }, provide) => {
    const browser = page.context();
    const origin = baseURL ?? "";
    await provide(async (path, as = "admin") => {
      await browser.clearCookies();
      await browser.addCookies(await session(origin, as));
      // The server may be another one by now.
      if (!(await page.request.get("/api/v1/session")).ok()) await browser.addCookies(await session(origin, as, true));
      await page.goto(inLab(path));
    });
  },
  signIn: async ({ page, playwright, baseURL }, provide) => {
    await provide(async (as) => { await page.context().addCookies(await newSession(playwright, baseURL ?? "", as)); });
  },
});

async function newSession({ request }: PlaywrightWorkerArgs["playwright"], origin: string, name: Account): Promise<Cookies> {
  const asker = await request.newContext({ baseURL: origin, extraHTTPHeaders: { Origin: origin } });
  const answer = await asker.post("/api/v1/session", { data: { name, password: demoPassword } });
  expect(answer.status(), `${name} signs in`).toBe(200);
  const { cookies } = await asker.storageState();
  await asker.dispose();
  return cookies;
}

/** The path with the cluster that these tests know. */
export function inLab(path: string): string {
  const address = new URL(path, "http://localhost");
  if (!address.searchParams.has("cluster")) address.searchParams.set("cluster", "lab");
  return address.pathname + address.search + address.hash;
}

/** Nothing is wider than the screen. */
export async function expectNoSideways(page: Page): Promise<void> {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth] as const);
  expect(wide, "the page is wider than the screen").toBeLessThanOrEqual(room);
}

/** The two looks that differ in everything, and with LOOKS=all each one. */
export const looks = ([["light", 1440], ["dark", 390], ["light", 390], ["dark", 1440], ["light", 1024]] as const)
  .slice(0, process.env["LOOKS"] === "all" ? undefined : 2);

/** Shows the page that is open in another look, without loading it again. */
export async function look(page: Page, colorScheme: "light" | "dark", width: number): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: width < 600 ? 844 : 1000 });
}
