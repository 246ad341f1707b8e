import type { Page, Route } from "@playwright/test";
import type { Sheet } from "./sheet";

/** Every page and what it may have to say. */
export const sheets: readonly Sheet[] = [
  { name: "sign-in", path: "/sign-in", as: null },
  { name: "sign-in-refused", path: "/sign-in", as: null, before: (page) => page.route("**/api/v1/session", refusal), then: refuse },
  { name: "set-up", path: "/setup#a-token", as: null },
  { name: "overview", path: "/?cluster=lab" },
  { name: "overview-all-clusters", path: "/?cluster=*" },
  { name: "gpus", path: "/gpus?cluster=lab" },
  { name: "gpus-all-clusters", path: "/gpus?cluster=*" },
  { name: "gpus-drawer", path: "/gpus?cluster=lab&device=pve-a/0000:01:00.0" },
  { name: "gpus-drawer-review", path: "/gpus?cluster=lab&node=pve-a&device=0000:03:00.0" },
  { name: "gpus-drawer-functions", path: "/gpus?cluster=lab&node=pve-a&device=0000:00:02.0" },
  { name: "gpus-not-read", path: "/gpus?cluster=lab&node=pve-d" },
  { name: "gpus-nothing-found", path: "/gpus?cluster=lab&q=no+such+thing" },
  { name: "gpus-failed", path: "/gpus?cluster=lab", before: (page) => page.route(/\/clusters\/lab\/nodes$/, fail) },
  { name: "gpus-stale", path: "/gpus?cluster=lab", before: (page) => page.clock.install(), then: (page) => page.clock.fastForward(125_000) },
  { name: "vms", path: "/vms?cluster=lab" },
  { name: "vm", path: "/vms/lab/103?cluster=lab" },
  { name: "vm-mapped", path: "/vms/lab/110?cluster=lab" },
  { name: "vm-pinned", path: "/vms/office/101?cluster=office" },
  { name: "vm-not-read", path: "/vms/lab/401?cluster=lab" },
  { name: "doctor", path: "/doctor?cluster=lab&node=pve-a&device=0000:01:00.0" },
  { name: "evacuate", path: "/evacuate?cluster=lab&node=pve-a" },
  { name: "evacuate-not-read", path: "/evacuate?cluster=lab&node=pve-d" },
  { name: "evacuate-office", path: "/evacuate?cluster=office&node=office-a" },
  { name: "findings", path: "/findings?cluster=lab", then: (page) => page.locator("details > summary").first().click() },
  { name: "findings-code", path: "/findings?cluster=lab&about=device-not-present" },
  { name: "mappings", path: "/mappings?cluster=lab" },
  { name: "mappings-detail", path: "/mappings?cluster=lab&mapping=old-card", then: press(".detail details > summary") },
  { name: "mappings-users", path: "/mappings?cluster=lab&mapping=rtx-3090" },
  { name: "mappings-findings", path: "/mappings?cluster=lab&view=findings" },
  { name: "mappings-suggestions", path: "/mappings?cluster=office&view=suggestions" },
  { name: "mappings-export", path: "/mappings?cluster=lab", then: writeDown },
  { name: "mappings-not-read", path: "/mappings?cluster=lab", before: (page) => page.route(/\/clusters\/lab\/mappings$/, unreadMappings) },
  { name: "mappings-all-clusters", path: "/mappings?cluster=*" },
  { name: "mappings-large", path: "/mappings?cluster=lab&mapping=pool-03", before: (page) => page.route(/\/clusters\/lab\/mappings$/, manyMappings), only: [1440] },
  { name: "desktops", path: "/desktops?cluster=lab" },
  { name: "desktops-import", path: "/desktops?cluster=lab", as: "operator", then: importFaults },
  { name: "desktops-form", path: "/desktops?cluster=lab", then: press(".rowacts .btn") },
  { name: "clusters", path: "/clusters" },
  { name: "clusters-form", path: "/clusters", then: press(".rowacts .btn:nth-child(2)") },
  { name: "clusters-test", path: "/clusters", then: press(".rowacts .btn:nth-child(1)") },
  { name: "clusters-remove", path: "/clusters", then: press(".rowacts .btn:nth-child(3)") },
  { name: "clusters-auditor", path: "/clusters", as: "auditor" },
  { name: "administrators", path: "/administrators" },
  { name: "administrators-form", path: "/administrators", then: press(".head .acts .btn") },
  { name: "administrators-remove", path: "/administrators", then: press(".rowacts .btn:nth-child(2)") },
  { name: "tokens", path: "/tokens", before: (page) => page.route("**/api/v1/tokens", listTokens) },
  { name: "tokens-secret", path: "/tokens", as: "operator", before: (page) => page.route("**/api/v1/tokens", makeToken), then: showSecret },
  { name: "audit", path: "/audit" },
  { name: "audit-drawer", path: "/audit?action=cluster.create", then: press("tbody tr") },
  { name: "navigation", path: "/?cluster=lab", only: [390], then: press(".hd > .btn.only-narrow") },
  { name: "gpus-print", path: "/gpus?cluster=lab", print: true },
  { name: "gpus-drawer-print", path: "/gpus?cluster=lab&device=pve-a/0000:01:00.0", print: true },
  { name: "vms-print", path: "/vms?cluster=lab", print: true },
  { name: "evacuate-print", path: "/evacuate?cluster=lab&node=pve-a", print: true },
  { name: "vm-print", path: "/vms/lab/103?cluster=lab", print: true },
  { name: "mappings-print", path: "/mappings?cluster=lab&mapping=old-card", print: true },
  { name: "findings-print", path: "/findings?cluster=lab", print: true },
  { name: "desktops-print", path: "/desktops?cluster=lab", print: true },
];

function press(selector: string): (page: Page) => Promise<void> {
  return (page) => page.locator(selector).first().click();
}

async function refuse(page: Page): Promise<void> {
  await page.locator("input[autocomplete=username]").fill("nobody");
  await page.locator("input[type=password]").fill("not the password");
  await page.locator(".btn.primary").click();
  await page.getByRole("alert").waitFor();
}

function refusal(route: Route): Promise<void> {
  return route.request().method() === "GET" ? route.continue() : problem(route, 401, "invalid_credentials", "Name or password is wrong.");
}

function fail(route: Route): Promise<void> {
  return problem(route, 502, "cluster_unreachable", "No entry node answers.");
}

function problem(route: Route, status: number, code: string, detail: string): Promise<void> {
  return route.fulfill({ status, contentType: "application/problem+json", json: { type: "about:blank", title: "", status, code, detail, request_id: "9f2c41d07a5e" } });
}

async function writeDown(page: Page): Promise<void> {
  await page.locator(".head .acts .menu > button").click();
  await page.locator(".menu li:nth-child(4) > button").click();
  await page.locator("dialog pre[aria-busy=false]").waitFor();
}

async function unreadMappings(route: Route): Promise<void> {
  const response = await route.fetch();
  const said = await response.json() as object;
  await route.fulfill({ response, json: { ...said, read: "failed", scope: "unproven", scope_fault: "/mapping/pci", scope_reason: "Mapping.Audit is not held on /mapping/pci.", mappings: null, findings: [] } });
}

interface Told {
  mappings: { cells: object[] }[];
}

/** 16 nodes and 30 mappings; one node was not read. */
async function manyMappings(route: Route): Promise<void> {
  const response = await route.fetch();
  const said = await response.json() as Told;
  const names = Array.from({ length: 16 }, (_, at) => `node-${String(at + 1).padStart(2, "0")}`);
  const lend = (at: number, node: number): object => ({ ...said.mappings[at % said.mappings.length]?.cells[node % 4], node: names[node], ...(node === 4 ? { verdict: "unreadable", capacity: null } : {}) });
  await route.fulfill({ response, json: {
    ...said, findings: [], nodes: names.map((node, at) => ({ node, known: true, devices_read: at !== 4, complete: true })),
    mappings: Array.from({ length: 30 }, (_, at) => ({ ...said.mappings[at % said.mappings.length], id: `pool-${String(at + 1).padStart(2, "0")}`, cells: names.map((__, node) => lend(at, node)) })),
  } });
}

async function importFaults(page: Page): Promise<void> {
  await page.locator(".head .acts button").first().click();
  await page.locator("textarea").fill("vmid,name\nxx,foo\n300,\n");
  await page.locator("dialog .btn.primary").click();
  await page.locator(".faults").waitFor();
}

const token = { id: "ycn4hfgd", name: "nightly report", owner: "admin", role: "auditor", created_at: "2026-11-10T09:02:06Z", used_at: null, expires_at: null };

function listTokens(route: Route): Promise<void> {
  const used = { ...token, id: "k3p9x2ra", name: "terraform", role: "operator", used_at: "2026-11-30T06:00:11Z", expires_at: "2027-06-30T00:00:00Z" };
  return route.fulfill({ json: { tokens: [token, used] } });
}

function makeToken(route: Route): Promise<void> {
  if (route.request().method() === "GET") return listTokens(route);
  return route.fulfill({ status: 201, json: { ...token, secret: "pa_5VJQ0Z6x1Jm2rX8bq3Yt7cLw9eKf4hNs" } });
}

async function showSecret(page: Page): Promise<void> {
  await page.locator(".head .acts .btn").click();
  await page.locator("dialog input").first().fill(token.name);
  await page.locator("dialog .btn.primary").click();
  await page.locator(".secret").waitFor();
}
