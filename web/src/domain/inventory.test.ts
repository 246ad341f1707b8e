import { describe, expect, test } from "vitest";
import { capacityByCluster, capacityByModel } from "./capacity";
import { deviceCsv, deviceJson } from "./device-export";
import { toCsv } from "./export";
import { familyOf } from "./family";
import { findingsByRow, findingsOf, splitRemedy, type ListedFinding } from "./finding";
import { countStates, countVFStates, inState, oldest, rowsOf, search, sortRows, tilesOf, type Answer, type AnswerDevice, type ClusterView, type NodeView, type Reference } from "./inventory";
import { marksOf, remarkOf } from "./marks";
import { classKey, deviceName, shortAddress, shortModel } from "./model";
import { scopeOf, viewsOfNode } from "./scope";
import { parseDevice, writeDevice } from "./select";
import { namedBy, phaseCounts, runningHolders } from "./sentence";

function reference(vmid: number, more: Partial<Reference> = {}): Reference {
  return {
    vmid, vm_name: `vm-${vmid}`, vm_status: "stopped", template: false, managed: false, desktop: null, slot: "hostpci0",
    phase: "current", via: "address", mapping: null, certainty: "exact", selector: "01:00", mdev_type: null, ...more,
  };
}

function device(address: string, more: Partial<AnswerDevice> = {}): AnswerDevice {
  return {
    address, kind: "display", class: "0x030000", class_name: "VGA compatible controller", vendor_id: "10de", vendor_name: "NVIDIA Corporation",
    device_id: "2204", device_name: "GA102 [GeForce RTX 3090]", subsystem_vendor_id: null, subsystem_device_id: null, iommu_group: 14,
    mdev_capable: false, physical_function: null, virtual_functions: null, references: [], review: [], state: "unreferenced", ...more,
  };
}

function answer(node: string, devices: AnswerDevice[] | null, more: Partial<Answer> = {}): Answer {
  return {
    cluster: "lab", node, read_at: "2026-01-02T03:04:05Z", source: "api", digest: "", complete: true, scope: "proven",
    visible_vms: 3, checked_vms: 3, devices, issues: [], unplaced: [], host_displays: devices === null ? null : [], ...more,
  };
}

function view(told: Answer | null, more: Partial<NodeView> = {}): NodeView {
  return { cluster: "lab", node: told?.node ?? "pve-x", online: true, pending: false, busy: false, error: null, triedAt: null, answer: told, ...more };
}

function cluster(nodes: NodeView[], more: Partial<ClusterView> = {}): ClusterView {
  return { cluster: "lab", pending: false, busy: false, error: null, told: { cluster: "lab", read_at: null, complete: true, problem: null, nodes: [] }, nodes, ...more };
}

describe("rows", () => {
  test("virtual functions stand with their physical one, and alone where it is not told", () => {
    const rows = rowsOf(answer("pve-a", [
      device("0000:02:00.1", { physical_function: "0000:02:00.0", references: [reference(100)] }),
      device("0000:02:00.0", { virtual_functions: ["0000:02:00.1", "0000:02:00.2"] }),
      device("0000:02:00.2", { physical_function: "0000:02:00.0" }),
      device("0000:09:00.1", { physical_function: "0000:09:00.0" }),
      device("0000:02:00.7", { kind: "other" }),
    ]));
    expect(rows.map((row) => [row.address, row.vf, row.members])).toEqual([["0000:02:00.0", { count: 2, used: 1 }, 5], ["0000:09:00.1", null, 5]]);
  });

  test("a virtual function in a state leads to its card, and is counted beside the cards", () => {
    const rows = rowsOf(answer("pve-a", [
      device("0000:02:00.0", { virtual_functions: ["0000:02:00.1", "0000:02:00.2"], state: "referenced" }),
      device("0000:02:00.1", { physical_function: "0000:02:00.0", state: "needs_review" }),
      device("0000:02:00.2", { physical_function: "0000:02:00.0", state: "multi_referenced" }),
      device("0000:03:00.0"),
    ]));
    const addresses = (state: Parameters<typeof inState>[1]) => inState(rows, state).map((row) => row.address);
    expect([addresses("needs_review"), addresses("multi_referenced"), addresses("unreferenced"), addresses(undefined)])
      .toEqual([["0000:02:00.0"], ["0000:02:00.0"], ["0000:03:00.0"], ["0000:02:00.0", "0000:03:00.0"]]);
    expect(countStates(rows)).toEqual({ multi_referenced: 0, needs_review: 0, referenced: 1, unreferenced: 1 });
    expect(countVFStates(rows)).toEqual({ multi_referenced: 1, needs_review: 1, referenced: 0, unreferenced: 0 });
    expect(rows[0] && marksOf(rows[0]).map((mark) => mark.kind)).toEqual(["vf_multi", "vf_review", "vf"]);
  });

  test("a virtual function stands alone where its physical one is no display", () => {
    expect(rowsOf(answer("pve-a", [device("0000:02:00.0", { kind: "other" }), device("0000:02:00.1", { physical_function: "0000:02:00.0" })])).map((row) => row.address))
      .toEqual(["0000:02:00.1"]);
  });

  test("devices that were not read give no rows; untold virtual functions are not none", () => {
    expect(rowsOf(answer("pve-a", null))).toEqual([]);
    expect(rowsOf(answer("pve-a", [device("0000:01:00.0", { virtual_functions: null })]))[0]?.vf).toBeNull();
  });

  test("the same answer gives the same rows", () => {
    const told = answer("pve-a", [device("0000:01:00.0")]);
    expect(rowsOf(told)).toBe(rowsOf(told));
  });

  test("sort by state, node and address", () => {
    const rows = [
      ...rowsOf(answer("pve-10", [device("0000:01:00.0", { state: "multi_referenced" }), device("0000:00:02.0")])),
      ...rowsOf(answer("pve-9", [device("0000:05:00.0"), device("0000:01:00.0", { state: "multi_referenced" }), device("0000:03:00.0", { state: "referenced" }), device("0000:04:00.0", { state: "needs_review" })])),
    ];
    expect(sortRows(rows).map((row) => `${row.state} ${row.node} ${row.address}`)).toEqual([
      "multi_referenced pve-9 0000:01:00.0", "multi_referenced pve-10 0000:01:00.0", "needs_review pve-9 0000:04:00.0",
      "referenced pve-9 0000:03:00.0", "unreferenced pve-9 0000:05:00.0", "unreferenced pve-10 0000:00:02.0",
    ]);
    expect(countStates(rows)).toEqual({ multi_referenced: 2, needs_review: 1, referenced: 1, unreferenced: 2 });
  });

  test("tiles go by address, displays of the host last", () => {
    const rows = rowsOf(answer("pve-a", [device("0000:03:00.0"), device("0000:02:00.0"), device("0000:10:00.0"), device("0000:04:00.0")], {
      host_displays: [
        { address: "0000:02:00.0", bmc: true, boot_display: null }, { address: "0000:03:00.0", bmc: false, boot_display: false },
        { address: "0000:04:00.0", bmc: false, boot_display: true }, { address: "0000:10:00.0", bmc: false, boot_display: null },
      ],
    }));
    expect(tilesOf(rows).map((row) => [row.address, row.host])).toEqual([
      ["0000:03:00.0", null], ["0000:10:00.0", null], ["0000:02:00.0", "bmc"], ["0000:04:00.0", "boot"],
    ]);
  });

  test.each([
    ["rtx 3090", 2], ["RTX   pool", 1], ["01:00", 1], ["vm-100", 1], ["100", 1], ["cad desk", 1], ["10de:2204", 2], ["nothing", 0], ["  ", 2],
  ])("search for %j finds %d", (text, count) => {
    const rows = rowsOf(answer("pve-a", [
      device("0000:01:00.0", { references: [reference(100, { desktop: "CAD desk", mapping: "pool" })] }),
      device("0000:02:00.0"),
    ]));
    expect(search(rows, text)).toHaveLength(count);
  });

  test("search finds a card by the VM that has one of its virtual functions", () => {
    const rows = rowsOf(answer("pve-a", [
      device("0000:02:00.0", { virtual_functions: ["0000:02:00.1"] }),
      device("0000:02:00.1", { physical_function: "0000:02:00.0", references: [reference(777)] }),
    ]));
    expect(search(rows, "777").map((row) => row.address)).toEqual(["0000:02:00.0"]);
  });

  test("search finds one of 5,000 devices by its VM", () => {
    const devices = Array.from({ length: 5000 }, (_, at) => device(`0000:${at.toString(16).padStart(4, "0")}.0`, { references: [reference(at + 100)] }));
    const rows = rowsOf(answer("pve-a", devices));
    expect(search(rows, "vm-4242")).toHaveLength(1);
  });

  test("the oldest read counts", () => {
    const nodes = [view(answer("a", [], { read_at: "2026-01-02T03:04:05Z" })), view(answer("b", [], { read_at: "2026-01-02T03:04:01Z" })), view(null)];
    expect(oldest(nodes)).toBe(Date.parse("2026-01-02T03:04:01Z"));
    expect(oldest([view(null), view(answer("c", null, { read_at: null }))])).toBeNull();
  });
});

describe("marks", () => {
  const marks = (more: Partial<AnswerDevice>) => {
    const [row] = rowsOf(answer("pve-a", [device("0000:01:00.0", more)], { host_displays: [{ address: "0000:01:00.0", bmc: more.vendor_id === "1a03", boot_display: null }] }));
    return row ? marksOf(row).map((mark) => mark.text || mark.kind) : [];
  };
  test.each<[string, Partial<AnswerDevice>, string[]]>([
    ["a plain card", {}, ["14 · 1"]],
    ["no group told", { iommu_group: null }, []],
    ["pending first, then vGPU and mapping; the fourth is left out", { mdev_capable: true, references: [reference(100, { phase: "pending", mapping: "pool" })] }, ["pending", "vgpu", "pool"]],
    ["to be removed, host display", { vendor_id: "1a03", references: [reference(100, { phase: "pending_removal" })] }, ["pending_removal", "host", "14 · 1"]],
    ["virtual functions", { virtual_functions: ["0000:01:00.1"] }, ["vf", "14 · 1"]],
    ["one mapping once", { references: [reference(100, { mapping: "pool" }), reference(101, { mapping: "pool" })] }, ["pool", "14 · 1"]],
  ])("%s", (_, more, want) => {
    expect(marks(more)).toEqual(want);
  });

  test.each<[Reference[], string | null]>([
    [[reference(1)], null],
    [[reference(1, { phase: "pending" })], "pending"],
    [[reference(1, { phase: "pending_removal", certainty: "candidate" })], "pending_removal"],
    [[reference(1, { certainty: "candidate" })], "candidate"],
    [[reference(1, { phase: "pending" }), reference(1)], null],
  ])("a line of a VM says what is special: %#", (refs, want) => {
    expect(remarkOf(refs)).toBe(want);
  });
});

test.each([
  ["NVIDIA Corporation", "GA102 [GeForce RTX 3090]", "NVIDIA GeForce RTX 3090", "RTX 3090"],
  ["Advanced Micro Devices, Inc. [AMD/ATI]", "Aqua Vanjaram [Instinct MI300X]", "AMD Instinct MI300X", "Instinct MI300X"],
  ["Intel Corporation", "ATS-M [Data Center GPU Flex 170]", "Intel Data Center GPU Flex 170", "Flex 170"],
  ["Intel Corporation", "Raptor Lake-S GT1 [UHD Graphics 770]", "Intel UHD Graphics 770", "UHD 770"],
  ["ASPEED Technology, Inc.", "ASPEED Graphics Family", "ASPEED Graphics Family", "ASPEED"],
  ["NVIDIA Corporation", null, "NVIDIA 10de:2204", "10de:2204"],
  [null, null, "10de:2204", "10de:2204"],
])("%s %s is called %s, in short %s", (vendor_name, device_name, long, short) => {
  const named = { vendor_id: "10de", device_id: "2204", vendor_name, device_name };
  expect([deviceName(named), shortModel(named)]).toEqual([long, short]);
});

test("classes and addresses", () => {
  expect([classKey("0x030200"), classKey("0x120000"), classKey("0x0c0330")]).toEqual(["gpu.class.0302", "gpu.class.1200", null]);
  expect([shortAddress("0000:01:00.0"), shortAddress("0001:01:00.0")]).toEqual(["01:00.0", "0001:01:00.0"]);
});

test("nodes of one name in two clusters are two nodes", () => {
  const card = (cluster: string, node: string) => rowsOf(answer(node, [device("0000:01:00.0")], { cluster }));
  const rows = [...card("lab", "pve-a"), ...card("office", "pve-a"), ...card("lab", "pve-b")];
  expect(capacityByModel(rows)[0]?.nodes).toEqual([{ node: "lab / pve-a", cards: 1 }, { node: "office / pve-a", cards: 1 }, { node: "pve-b", cards: 1 }]);
  expect(capacityByCluster(rows)[0]?.nodes).toEqual([{ node: "pve-a", cards: 1 }, { node: "pve-b", cards: 1 }]);
});

test("capacity counts cards, states, functions, profiles and nodes", () => {
  const rows = [
    ...rowsOf(answer("pve-b", [device("0000:01:00.0", { state: "referenced", mdev_capable: true, references: [reference(1, { mdev_type: "nvidia-63" }), reference(2, { mdev_type: "nvidia-63" })] })])),
    ...rowsOf(answer("pve-a", [device("0000:01:00.0"), device("0000:02:00.0", { device_id: "1", device_name: "X", virtual_functions: ["0000:02:00.1"] }),
      // The virtual function gives the vGPU.
      device("0000:02:00.1", { physical_function: "0000:02:00.0", mdev_capable: true, references: [reference(3, { mdev_type: "nvidia-558" })] })])),
  ];
  expect(capacityByModel(rows)).toEqual([
    {
      key: "10de:2204", name: "GeForce RTX 3090", ids: "10de:2204", cards: 2, counts: { multi_referenced: 0, needs_review: 0, referenced: 1, unreferenced: 1 },
      vf: null, vgpu: 1, profiles: [{ type: "nvidia-63", used: 2 }], nodes: [{ node: "pve-a", cards: 1 }, { node: "pve-b", cards: 1 }],
    },
    {
      key: "10de:1", name: "X", ids: "10de:1", cards: 1, counts: { multi_referenced: 0, needs_review: 0, referenced: 0, unreferenced: 1 },
      vf: { count: 1, used: 1 }, vgpu: 1, profiles: [{ type: "nvidia-558", used: 1 }], nodes: [{ node: "pve-a", cards: 1 }],
    },
  ]);
  expect(capacityByCluster(rows).map(({ name, cards }) => [name, cards])).toEqual([["lab", 3]]);
  expect(capacityByCluster(rowsOf(answer("pve-a", [device("0000:01:00.0", { mdev_capable: null })])))[0]?.vgpu).toBeNull();
});

describe("scope", () => {
  const issue = (code: Answer["issues"][number]["code"], vmid: number | null, blocks = true) =>
    ({ code, blocks, node: "pve-a", vmid, slot: null, mapping: null, devices: null, message: "" });

  test("adds up, and is complete only if all is", () => {
    expect(scopeOf([cluster([view(answer("a", [])), view(answer("b", [], { visible_vms: 2, checked_vms: 1 }))])])).toEqual({ checked: 4, visible: 5, full: true, complete: true, reasons: [] });
    expect(scopeOf([cluster([view(answer("a", [], { complete: false, scope: "assumed" }))])])).toMatchObject({ full: false, complete: false });
  });

  test("a node without an answer makes the number of visible VMs unknown", () => {
    const scope = scopeOf([cluster([view(answer("a", [])), view(null, { node: "b", error: new Error("gone") })])]);
    expect(scope).toMatchObject({ visible: null, complete: false });
    expect(scope.reasons.map(({ code, node }) => [code, node])).toEqual([["no_answer", "b"]]);
  });

  test("issues of one kind are one reason, a single VM is named, harmless ones are none", () => {
    const issues = [issue("vm_custom_args", 1), issue("mapping_ambiguous", 2), issue("mapping_ambiguous", 3), issue("pve_too_old", null, false)];
    const scope = scopeOf([cluster([view(answer("a", [], { complete: false, issues }))])]);
    expect(scope.reasons.map(({ code, vmid, count }) => [code, vmid, count])).toEqual([["vm_custom_args", 1, 1], ["mapping_ambiguous", 0, 2]]);
  });

  test("what each node tells about the token is told once", () => {
    const told = (node: string) => view(answer(node, [], { complete: false, issues: [issue("vm_scope_unproven", null)] }));
    expect(scopeOf([cluster([told("a"), told("b")])]).reasons).toHaveLength(1);
  });

  test("a list of nodes that is not whole is a reason; a filter leaves one node", () => {
    const views = [cluster([view(answer("a", [])), view(answer("b", []))], { told: { cluster: "lab", read_at: null, complete: false, problem: "x", nodes: [] } })];
    expect(scopeOf(views).reasons.map(({ code }) => code)).toEqual(["nodes_unknown"]);
    expect(viewsOfNode(views, "b")[0]?.nodes.map(({ node }) => node)).toEqual(["b"]);
    expect(viewsOfNode(views, undefined)).toBe(views);
  });
});

describe("sentences", () => {
  const references = [
    reference(101), reference(100, { slot: "hostpci1" }), reference(102, { phase: "pending" }), reference(103, { phase: "pending_removal", vm_status: "running" }),
    reference(104, { certainty: "candidate", mapping: "pool", vm_status: "running" }), reference(105, { phase: "pending", vm_status: "running" }),
  ];
  test("say who names the device, by phase, and who may get it", () => {
    expect(namedBy(references).map(({ key, vms, slots, mapping }) => [key, vms.map((vm) => vm.vmid), slots, mapping])).toEqual([
      ["gpu.named.current", [100, 101], ["hostpci0", "hostpci1"], ""],
      ["gpu.named.pending", [102, 105], ["hostpci0"], ""],
      ["gpu.named.pending_removal", [103], ["hostpci0"], ""],
      ["gpu.named.candidate", [104], ["hostpci0"], "pool"],
    ]);
    expect(namedBy([])).toEqual([]);
  });
  test("count VMs by phase, and tell which run", () => {
    expect(phaseCounts(references)).toEqual({ vms: 5, current: 2, pending: 2, pending_removal: 1, unknown: 0, candidate: 1 });
    expect(phaseCounts([reference(1, { phase: "warming" as string as Reference["phase"] })])).toMatchObject({ vms: 1, current: 0, unknown: 1 });
    expect(runningHolders({ references }).map((vm) => vm.vmid)).toEqual([103, 104]);
  });
});

describe("findings", () => {
  const finding = (concerned: [node: string, address: string][], more: Partial<ListedFinding> = {}): ListedFinding => ({
    cluster: "lab", code: "device-shared", severity: "warning", subject: {}, sentence: "", evidence: [], remedy: [],
    concerns: { devices: concerned.map(([node, address]) => ({ node, address })), vms: [] }, ...more,
  });
  test.each<[string, ListedFinding, boolean]>([
    ["the device", finding([["pve-a", "0000:01:00.0"]]), true],
    ["the device and others", finding([["pve-b", "0000:02:00.0"], ["pve-a", "0000:01:00.0"]]), true],
    ["a VM as a whole that names it", finding([["pve-a", "0000:01:00.0"]], { subject: { vmid: 100 } }), true],
    ["another device", finding([["pve-a", "0000:02:00.0"]]), false],
    ["the same address elsewhere", finding([["pve-b", "0000:01:00.0"]]), false],
    ["another cluster", finding([["pve-a", "0000:01:00.0"]], { cluster: "x" }), false],
    ["nothing that is there", finding([], { subject: { node: "pve-a", device: "0000:01:00.0" } }), false],
  ])("%s", (_, one, want) => {
    expect(findingsOf([one], "lab", "pve-a", "0000:01:00.0")).toHaveLength(want ? 1 : 0);
  });
  test("stand with their rows", () => {
    const rows = rowsOf(answer("pve-a", [device("0000:01:00.0"), device("0000:02:00.0")]));
    expect([...findingsByRow([finding([["pve-a", "0000:02:00.0"]])], rows).keys()]).toEqual(["lab/pve-a/0000:02:00.0"]);
  });
  test.each([
    ["Look on the node: lspci -nnk -s 0000:41:00.0; lsblk", "Look on the node", "lspci -nnk -s 0000:41:00.0; lsblk"],
    ["qm set 100 --onboot 0", "", "qm set 100 --onboot 0"],
    ["Run only one of these VMs at a time.", "Run only one of these VMs at a time.", ""],
  ])("a remedy is words and a command: %s", (line, words, command) => {
    expect(splitRemedy(line)).toEqual({ words, command });
  });
});

test.each([
  ["0000:01:00.0", "lab", "pve-a", { cluster: "lab", node: "pve-a", address: "0000:01:00.0" }],
  ["pve-b/0000:01:00.0", "lab", "pve-a", { cluster: "lab", node: "pve-b", address: "0000:01:00.0" }],
  ["x/pve-b/0000:01:00.0", "lab", undefined, { cluster: "x", node: "pve-b", address: "0000:01:00.0" }],
  ["0000:01:00.0", "lab", undefined, null],
  ["pve-a/0000:01:00.0", null, undefined, null],
  [undefined, "lab", "pve-a", null],
])("the open device of %s", (text, name, node, want) => {
  expect(parseDevice(text, name, node)).toEqual(want);
});

test("an open device is written so that it is read back", () => {
  const open = { cluster: "x", node: "pve-b", address: "0000:01:00.0" };
  for (const [all, node] of [[true, undefined], [false, "pve-b"], [false, "pve-a"], [false, undefined]] as const) {
    expect(parseDevice(writeDevice(open, all, node), "x", node)).toEqual(open);
  }
});

test("the family of a card; not told is not none", () => {
  const pf = device("0000:02:00.0", { virtual_functions: ["0000:02:00.2", "0000:02:00.1"] });
  const vf = device("0000:02:00.1", { physical_function: "0000:02:00.0" });
  for (const one of [pf, vf]) {
    const family = familyOf(one, [pf, vf]);
    expect(family.virtual?.map(({ address, told }) => [address, told !== undefined])).toEqual([["0000:02:00.1", true], ["0000:02:00.2", false]]);
  }
  expect(familyOf(vf, null).virtual).toBeNull();
  expect(familyOf(device("0000:01:00.0"), []).virtual).toBeNull();
  expect(familyOf(device("0000:01:00.0", { virtual_functions: [] }), []).virtual).toEqual([]);
});

test("files hold what is on the screen", () => {
  const rows = rowsOf(answer("pve-a", [device("0000:01:00.0", { references: [reference(100)], iommu_group: null })]));
  const [head = "", line = ""] = toCsv(deviceCsv, rows).split("\r\n");
  expect(head.split(",").length).toBe(line.split(",").length);
  expect(line).toBe("lab,pve-a,0000:01:00.0,unreferenced,NVIDIA GeForce RTX 3090,0x030000,10de,2204,,,false,100:hostpci0:current:01:00:exact,");
  expect(rows.map(deviceJson)).toMatchObject([{ cluster: "lab", node: "pve-a", address: "0000:01:00.0", iommu_group: null }]);
});
