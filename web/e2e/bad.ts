import type { Page, Route } from "@playwright/test";

/** JSON as it comes from the server. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Lets the server answer, and changes what it said before the console gets it. What was changed so far is in the list that it gives. */
export async function alter<T>(page: Page, address: string | RegExp, change: (answer: T) => void): Promise<readonly T[]> {
  const changed: T[] = [];
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const answer = await response.json() as T;
    change(answer);
    changed.push(answer);
    await route.fulfill({ response, json: answer });
  });
  return changed;
}

/** Answers as pciatlas does when it refuses something. */
export function refuse(route: Route, status: number, code: string, detail: string, headers: Record<string, string> = {}): Promise<void> {
  const json = { type: "about:blank", title: code, status, code, detail, request_id: "feedbeef" };
  return route.fulfill({ status, headers, contentType: "application/problem+json", json });
}

/** What of an answer about a node the tests change. */
export interface NodeAnswer {
  devices: Device[];
  issues: { code: string; blocks: boolean; message: string }[];
  visible_vms: number;
}

export interface Device {
  address: string;
  state: string;
  device_name: string | null;
  references: { vmid: number; vm_name: string | null; desktop: string | null; mapping: string | null; phase: string; certainty: string; vm_status: string }[];
}

/** Answers about one node of the demo. */
export function nodeAddress(node: string): RegExp {
  return new RegExp(`/api/v1/clusters/lab/nodes/${node}\\?`);
}

/** Of markup, right-to-left, long and combining: names that must be shown as they are. */
export const names = {
  markup: `<img src=x onerror="alert(1)">&amp;{{count}} $t(nav.vms)`,
  override: "win\u202egpj.exe",
  hebrew: "\u05e9\u05dc\u05d5\u05dd\u2069\u202e 42",
  long: `${"win10-render-".repeat(15)}end`,
  combining: "Z\u0351\u036b\u0343\u036a\u0302a\u0323\u0302 e\u0301",
} as const;
