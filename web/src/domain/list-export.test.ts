import { expect, test } from "vitest";
import { toCsv } from "./export";
import type { Finding } from "./finding";
import { findingCsv } from "./findings";
import { vmCsv, type VMInList } from "./vm";

type Line = NonNullable<VMInList["lines"]>[number];

function vm(more: Partial<VMInList>): VMInList {
  const told: Pick<VMInList, "cluster" | "vmid" | "name" | "node" | "status" | "template" | "desktop" | "config_read" | "lines"> = {
    cluster: "lab", vmid: 100, name: "win", node: "pve-a", status: "running", template: false, desktop: null, config_read: true, lines: [],
  };
  return { ...told, ...more } as VMInList;
}

function cells(csv: string): string[] {
  return csv.split("\r\n").slice(1, -1);
}

test("a VM's lines and devices stand in one cell each", () => {
  const line = (slot: string, value: string, addresses: string[]) =>
    ({ slot, phase: "current", value, devices: addresses.map((address) => ({ address })) }) as unknown as Line;
  const lines = [line("hostpci0", "01:00,pcie=1", ["0000:01:00.0", "0000:01:00.1"]), line("hostpci1", "mapping=a", [])];
  expect(cells(toCsv(vmCsv, [vm({ lines })]))).toEqual([
    'lab,100,win,,pve-a,running,false,true,"hostpci0 (current): 01:00,pcie=1; hostpci1 (current): mapping=a",0000:01:00.0 0000:01:00.1',
  ]);
});

test("a configuration that was not read stays apart from one without lines", () => {
  expect(cells(toCsv(vmCsv, [vm({ lines: null, config_read: false }), vm({ lines: [] })]))).toEqual([
    "lab,100,win,,pve-a,running,false,false,,",
    "lab,100,win,,pve-a,running,false,true,,",
  ]);
});

test("a name that a spreadsheet would run gets an apostrophe", () => {
  expect(cells(toCsv(vmCsv, [vm({ name: "=HYPERLINK(1)" })]))[0]).toContain(",'=HYPERLINK(1),");
});

test("a finding's evidence and remedy keep their lines", () => {
  const finding: Finding = {
    cluster: "lab", code: "device-not-present", severity: "error", subject: { node: "pve-a", vmid: 104, slot: "hostpci0", device: "0000:09:00.0" },
    sentence: "It is not there.", evidence: ["one", "two"], remedy: ["lspci -nnD"],
  };
  expect(toCsv(findingCsv, [finding])).toBe(
    "\uFEFFcluster,severity,code,node,vmid,slot,device,mapping,sentence,evidence,remedy\r\n" +
    'lab,error,device-not-present,pve-a,104,hostpci0,0000:09:00.0,,It is not there.,"one\ntwo",lspci -nnD\r\n',
  );
});
