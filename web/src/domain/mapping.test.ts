import { describe, expect, test } from "vitest";
import { toCsv } from "./export";
import {
  countMappings, entryRows, faultKinds, isOver, listIncomplete, mappingRows, parseMapping, pveLines, searchMappings, unlistedFindings, writeMapping,
  type Cell, type Entry, type Fault, type Finding, type Mapping, type Mappings,
} from "./mapping";
import { mappingCells, mappingCsv } from "./mapping-export";

const noDemand = { vms: 0, slots: 0, running: 0, starting: 0, stopped: 0, templates: 0, status_unknown: 0 };

function entry(more: Partial<Entry> = {}): Entry {
  return {
    number: 1, map: "id=10de:2204,node=pve-a,path=0000:01:00", path: "0000:01:00", id: "10de:2204", iommugroup: "14", subsystem_id: null,
    description: null, devices: [], faults: [], untold: false, ...more,
  };
}

function cell(more: Partial<Cell> = {}): Cell {
  return {
    node: "pve-a", verdict: "ok", entries: [entry()], capacity: 1, demand: noDemand, pve_read: "ok", pve_checks: [], pve_read_at: "2026-11-30T09:02:06Z", agrees: true,
    ...more,
  };
}

function mapping(more: Partial<Mapping> = {}): Mapping {
  return { id: "gpu", description: null, mdev: false, live_migration_capable: false, models: [], entries: 1, vms: 0, cells: [cell()], users: [], snapshots: [], ...more };
}

function mappings(more: Partial<Mappings> = {}): Mappings {
  return {
    cluster: "lab", read: "ok", scope: "proven", scope_fault: null, scope_reason: null, nodes: [{ node: "pve-a", known: true, devices_read: true, complete: true }],
    mappings: [mapping()], dropped_lines: [], read_at: null, scopes: [], findings: [], ...more,
  };
}

const groupDiffers: Fault = { code: "mismatch", property: "iommugroup", device: "0000:01:00.0", actual: "29", configured: "31", message: "'iommugroup' does not match for 'gpu' (29 != 31)" };
const said = { severity: "error", message: `Invalid configuration: ${groupDiffers.message}` };

function finding(id: string, severity: Finding["severity"] = "error"): Finding {
  return { code: "mapping-invalid", severity, subject: { mapping: id }, sentence: "", evidence: [], remedy: [], params: {} };
}

describe("rows", () => {
  test("each mapping has its own findings; those about other names stand apart", () => {
    const told = mappings({ findings: [finding("gpu"), finding("Gpu")] });
    expect(mappingRows(told).map(({ findings }) => findings.length)).toEqual([1]);
    expect(unlistedFindings(told).map(({ subject }) => subject.mapping)).toEqual(["Gpu"]);
  });

  test("the same answer gives the same rows, and one without a list none", () => {
    const told = mappings();
    expect(mappingRows(told)).toBe(mappingRows(told));
    expect(mappingRows(mappings({ mappings: null }))).toEqual([]);
  });

  test.each([["GPU", 1], ["render", 1], ["vm 100", 1], ["01:00.1", 1], ["gpu 3090", 1], ["quadro", 0]])("a search for %s finds %i", (text, count) => {
    const user = { vmid: 100, name: "render-1", node: "pve-a", status: "running", template: false, starts_by_itself: null, slot: "hostpci0", phase: "current", mdev_type: null } as const;
    const devices = [{ address: "0000:01:00.1", device_name: "GA102", class_name: null }];
    const told = mappings({ mappings: [mapping({ models: ["GA102 [GeForce RTX 3090]"], users: [user], cells: [cell({ entries: [entry({ devices })] })] })] });
    expect(searchMappings(mappingRows(told), text)).toHaveLength(count);
  });
});

describe("the check of Proxmox VE", () => {
  test("a sentence belongs to the entry whose fault it tells", () => {
    const entries = [entry(), entry({ number: 2, faults: [groupDiffers] })];
    const rows = entryRows(mapping({ cells: [cell({ verdict: "invalid", entries, pve_checks: [said] })] }));
    expect(rows.map(({ remark }) => remark)).toEqual([{ kind: "none" }, { kind: "fault", fault: groupDiffers }]);
  });

  test("a sentence that tells no fault of ours is pointed to at each entry of its node", () => {
    const rows = entryRows(mapping({ cells: [cell({ pve_checks: [said], agrees: false })] }));
    expect(rows.map(({ remark }) => remark.kind)).toEqual(["elsewhere"]);
  });

  test("a fault that it does not tell is no remark", () => {
    const rows = entryRows(mapping({ cells: [cell({ entries: [entry({ faults: [groupDiffers] })], agrees: false })] }));
    expect(rows.map(({ remark }) => remark.kind)).toEqual(["none"]);
  });

  test.each([["not_asked", "not_asked"], ["failed", "not_read"], ["partial", "not_read"]] as const)("a check that is %s is %s", (read, kind) => {
    const one = mapping({ cells: [cell({ pve_read: read, pve_checks: null, agrees: null })] });
    expect(entryRows(one).map(({ remark }) => remark.kind)).toEqual([kind]);
    expect(pveLines(one).map((line) => [line.kind, line.agrees])).toEqual([[kind, null]]);
  });

  test("nodes of which it says nothing stand together, those with a sentence first", () => {
    const lines = pveLines(mapping({ cells: [
      cell(), cell({ node: "pve-b" }), cell({ node: "pve-c", pve_checks: [said] }),
      cell({ node: "pve-d", verdict: "missing", entries: [], pve_checks: [{ severity: "warning", message: "No mapping for node pve-d." }] }),
    ] }));
    expect(lines.map(({ kind, nodes }) => [kind, nodes])).toEqual([["said", ["pve-c"]], ["no_remark", ["pve-a", "pve-b"]]]);
  });

  test("a node without entries is told where the verdicts differ", () => {
    const lines = pveLines(mapping({ cells: [cell({ verdict: "missing", entries: [], pve_checks: [said], agrees: false })] }));
    expect(lines.map(({ nodes, agrees }) => [nodes, agrees])).toEqual([[["pve-a"], false]]);
  });
});

test("entries of several nodes stand by number", () => {
  const cells = [cell({ entries: [entry({ number: 3 })] }), cell({ node: "pve-b", entries: [entry({ number: 1 }), entry({ number: 2 })] })];
  expect(entryRows(mapping({ cells })).map(({ entry: one, cell: at }) => [one.number, at.node])).toEqual([[1, "pve-b"], [2, "pve-b"], [3, "pve-a"]]);
});

test("faults of one path name no device, those of several do; each kind once", () => {
  const gone: Fault = { code: "device-not-found", property: null, device: "0000:01:00.1", actual: null, configured: null, message: "pci device '0000:01:00.1' not found" };
  expect(faultKinds(entry({ faults: [groupDiffers, groupDiffers] }))).toEqual([{ key: "mismatch.iommugroup 0000:01:00.0", word: "mismatch.iommugroup", device: null }]);
  expect(faultKinds(entry({ path: "0000:01:00.0;0000:01:00.1", faults: [gone] })).map(({ word, device }) => [word, device])).toEqual([["device-not-found", "0000:01:00.1"]]);
});

test.each([
  [cell({ capacity: 1, demand: { ...noDemand, slots: 2 } }), true],
  [cell({ capacity: 1, demand: { ...noDemand, slots: 1 } }), false],
  [cell({ capacity: null, demand: { ...noDemand, slots: 9 } }), false],
  [cell({ verdict: "missing", capacity: null, demand: { ...noDemand, slots: 1 } }), false],
])("more is asked for than there is only where both are known (%#)", (one, over) => {
  expect(isOver(one)).toBe(over);
});

describe("the address", () => {
  test("names the cluster only where all are shown", () => {
    for (const [cluster, all] of [["lab", false], ["lab", true]] as const) {
      const written = writeMapping({ cluster: "lab", id: "gpu" }, all);
      expect(parseMapping(written, cluster, all)).toEqual({ cluster: "lab", id: "gpu" });
    }
    expect(writeMapping({ cluster: "lab", id: "gpu" }, false)).toBe("gpu");
  });

  test("without a cluster nothing is open", () => {
    expect(parseMapping("gpu", "lab", true)).toBeNull();
    expect(parseMapping("gpu", null, false)).toBeNull();
    expect(parseMapping(undefined, "lab", false)).toBeNull();
  });
});

test("no number of mappings is told while one list was not read, and nodes that only entries name are not counted", () => {
  const nodes = [...mappings().nodes, { node: "pve-b", known: true, devices_read: false, complete: false }, { node: "gone", known: false, devices_read: false, complete: false }];
  expect(countMappings([mappings({ nodes })])).toEqual({ mappings: 1, nodes: 2, read: 1 });
  expect(countMappings([mappings(), mappings({ mappings: null })]).mappings).toBeNull();
});

test("a list says why it may not be whole", () => {
  expect(listIncomplete(mappings())).toEqual([]);
  expect(listIncomplete(mappings({ scope: "unproven", scope_fault: "/mapping/pci" }))).toEqual(["lab: mapping scope unproven (/mapping/pci)"]);
  expect(listIncomplete(mappings({ read: "failed" }))).toEqual(["lab: mappings failed"]);
});

test("in a file a capacity that is not known and a check that was not read stay empty, none stays a number", () => {
  const told = mappings({ mappings: [mapping({ cells: [cell({ capacity: null, pve_checks: null, agrees: null }), cell({ node: "pve-b", verdict: "missing", entries: [], capacity: 0 })] })] });
  const lines = toCsv(mappingCsv, mappingCells(mappingRows(told))).split("\r\n");
  expect(lines[1]).toBe("lab,gpu,,false,false,pve-a,ok,,0,0,0,0,0,0,0,\"id=10de:2204,node=pve-a,path=0000:01:00\",,,");
  expect(lines[2]).toBe("lab,gpu,,false,false,pve-b,missing,0,0,0,0,0,0,0,0,,,,true");
});
