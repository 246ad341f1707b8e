import { expect, test } from "vitest";
import { filterVMs, findingsOfVM, oldestRead, rowsOfVMs, scopeOfVMs, type NodeRead, type NodeScope, type VM } from "./vm";

function vm(vmid: number, node: string, part: Partial<VM> = {}): VM {
  return { vmid, node, name: `vm-${vmid}`, status: "running", template: false, managed: false, desktop: null, config_read: true, lines: [], findings: null, ...part };
}

const line = {
  slot: "hostpci0", phase: "current", value: "mapping=gpu", via: "mapping", mapping: "gpu", mdev_type: null, unplaced: [],
  devices: [{ address: "0000:01:00.0", device_name: "GeForce RTX 3090", state: "referenced", certainty: "exact" }],
} as const;
const pinned = { ...line, value: "0000:02:00", via: "address", mapping: null, devices: [{ ...line.devices[0], address: "0000:02:00.0" }] } as const;

function scope(node: string, part: Partial<NodeScope> = {}): NodeScope {
  return { node, checked_vms: 2, visible_vms: 2, complete: true, devices_read: true, read_at: "2026-11-30T10:00:00Z", scope: "proven", scope_reason: null, issues: [], ...part };
}

function read(node: string, vms: VM[], part: Partial<NodeRead> = {}): NodeRead {
  return { cluster: "lab", node, pending: false, busy: false, error: null, scope: scope(node), vms, ...part };
}

const a = vm(103, "pve-a", { lines: [{ ...line, devices: [...line.devices], unplaced: [] }] });
const b = vm(99, "pve-b", { lines: [{ ...pinned, devices: [...pinned.devices], unplaced: [] }], desktop: "CAD" });
const rows = rowsOfVMs([read("pve-a", [a]), read("pve-b", [b, vm(401, "pve-b", { lines: null, config_read: false })])]);

test("rows are sorted by number, not by node", () => {
  expect(rows.map((row) => row.key)).toEqual(["lab/pve-b/99", "lab/pve-a/103", "lab/pve-b/401"]);
});

test.each([
  [{}, [99, 103, 401]],
  [{ via: "mapping" }, [103]],
  [{ via: "address" }, [99]],
  [{ node: "pve-b" }, [99, 401]],
  [{ q: "cad" }, [99]],
  [{ q: "3090 gpu" }, [103]],
  [{ q: "0000:02:00" }, [99]],
] as const)("%j leaves %j", (filter, want) => {
  expect(filterVMs(rows, { q: "", node: "", via: null, ...filter }).map((row) => row.vmid)).toEqual(want);
});

test("a node that failed makes the number of visible VMs unknown", () => {
  const failed = read("pve-b", [], { error: new Error("no"), scope: null, vms: null });
  expect(scopeOfVMs([read("pve-a", [a])], true)).toMatchObject({ checked: 2, visible: 2, full: true, complete: true, reasons: [] });
  expect(scopeOfVMs([read("pve-a", [a]), failed], true)).toMatchObject({ checked: 2, visible: null, complete: false });
  expect(scopeOfVMs([read("pve-a", [a])], false)).toMatchObject({ visible: null, complete: false });
});

test("blocking issues of one kind are one reason", () => {
  const issue = { code: "vm_custom_args", blocks: true, node: "pve-a", vmid: 7, slot: null, mapping: null, devices: null, message: "" } as const;
  const node = read("pve-a", [], { scope: scope("pve-a", { complete: false, issues: [issue, { ...issue, vmid: 8 }, { ...issue, blocks: false, code: "mdev_types_unreadable" }] }) });
  expect(scopeOfVMs([node], true).reasons).toEqual([{ key: "lab/pve-a/vm_custom_args", code: "vm_custom_args", cluster: "lab", node: "pve-a", vmid: 0, count: 2 }]);
});

test("findings of a VM are those that concern it on its node", () => {
  const finding = (...vms: [node: string, vmid: number][]) => ({
    code: "device-shared" as const, severity: "warning" as const, sentence: "", evidence: [], remedy: [], subject: {},
    concerns: { devices: [], vms: vms.map(([node, vmid]) => ({ node, vmid })) },
  });
  const own = finding(["pve-a", 103]);
  const shared = finding(["pve-b", 99], ["pve-a", 103]);
  expect(findingsOfVM([own, finding(["pve-b", 103]), finding(["pve-a", 104]), finding(), shared], a)).toEqual([own, shared]);
});

test("the oldest read counts", () => {
  const older = read("pve-b", [], { scope: scope("pve-b", { read_at: "2026-11-30T09:00:00Z" }) });
  expect(oldestRead([read("pve-a", []), older])).toBe(Date.parse("2026-11-30T09:00:00Z"));
  expect(oldestRead([])).toBeNull();
});
