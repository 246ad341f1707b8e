import type { Page, Route } from "@playwright/test";
import type { components } from "../src/api/schema";

type Schemas = components["schemas"];
type Device = Schemas["AnswerDevice"];
type VM = Schemas["VMRow"];
type Finding = Schemas["ListedFinding"];

const readAt = new Date().toISOString();
const scope = { read_at: readAt, complete: true, scope: "proven" as const, scope_reason: null, devices_read: true, issues: [] };

const models = [
  { device_id: "2204", device_name: "GA102 [GeForce RTX 3090]", class: "0x030000", class_name: "VGA compatible controller", kind: "display" },
  { device_id: "2684", device_name: "AD102 [GeForce RTX 4090]", class: "0x030000", class_name: "VGA compatible controller", kind: "display" },
  { device_id: "1eb8", device_name: "TU104GL [Tesla T4]", class: "0x030200", class_name: "3D controller", kind: "display" },
  { device_id: "20b5", device_name: "GA100 [A100 PCIe 80GB]", class: "0x030200", class_name: "3D controller", kind: "display" },
] as const;

/** What a crowd is made of. */
interface Size {
  nodes: number;
  devices: number;
  vms: number;
}

/** A cluster with this many display functions and VMs, spread over its nodes. Each VM names one device, and each has a finding. */
export class Crowd {
  readonly nodes: readonly string[];
  readonly answers: readonly Schemas["NodeAnswer"][];
  readonly vms: readonly VM[];
  readonly findings: readonly Finding[];

  constructor(readonly size: Size) {
    this.nodes = Array.from({ length: size.nodes }, (_, at) => `pve-${String(at + 1).padStart(2, "0")}`);
    const devices = this.nodes.map((_, at) => share(size.devices, size.nodes, at));
    let vmid = 100;
    const answers: Schemas["NodeAnswer"][] = [];
    const vms: VM[] = [];
    for (const [at, node] of this.nodes.entries()) {
      const own = devicesOf(devices[at] ?? 0, at);
      const cards = own.filter((device) => device.kind === "display");
      const count = share(size.vms, size.nodes, at);
      for (let nth = 0; nth < count; nth += 1) vms.push(vmOf(vmid++, node, cards, nth));
      answers.push({
        cluster: "lab", node, source: "api", digest: `sha256:${at}`, unplaced: [], visible_vms: count, checked_vms: count,
        read_at: readAt, complete: true, scope: "proven", issues: [], devices: own,
        host_displays: cards.map(({ address }) => ({ address, bmc: false, boot_display: null })),
      });
    }
    this.answers = answers;
    this.vms = vms;
    this.findings = vms.map(findingOf).sort((a, b) => weight(a) - weight(b));
  }

  /** Answers the console in place of the demo. */
  async serve(page: Page): Promise<void> {
    const cluster = "**/api/v1/clusters/lab";
    await page.route(`${cluster}/nodes`, (route) => send(route, { cluster: "lab", read_at: readAt, complete: true, problem: null, nodes: this.nodes.map((name) => ({ name, online: true })) }));
    await page.route(`${cluster}/nodes/*`, (route) => send(route, this.answers.find((answer) => new URL(route.request().url()).pathname.endsWith(answer.node))));
    await page.route(`${cluster}/nodes/*?*`, (route) => send(route, this.answers.find((answer) => new URL(route.request().url()).pathname.endsWith(answer.node))));
    await page.route(`${cluster}/vms?*`, (route) => {
      const node = new URL(route.request().url()).searchParams.get("node") ?? "";
      const vms = this.vms.filter((vm) => vm.node === node);
      return send(route, { cluster: "lab", read_at: readAt, nodes: [{ ...scope, node, visible_vms: vms.length, checked_vms: vms.length }], vms });
    });
    await page.route(`${cluster}/findings`, (route) => send(route, {
      cluster: "lab", read_at: readAt, findings: this.findings,
      nodes: this.answers.map(({ node, visible_vms, checked_vms }) => ({ ...scope, node, visible_vms, checked_vms })),
    }));
  }
}

async function send(route: Route, json: object | undefined): Promise<void> {
  await (json === undefined ? route.fallback() : route.fulfill({ json }));
}

function share(all: number, parts: number, at: number): number {
  return Math.floor(all / parts) + Number(at < all % parts);
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}

function devicesOf(count: number, at: number): Device[] {
  return Array.from({ length: count }, (_, nth) => cardOf(nth, at)).flat();
}

/** A card with its sound function. */
function cardOf(nth: number, at: number): Device[] {
  const model = models[(nth + at) % models.length] ?? models[0];
  const slot = `${hex(Math.floor(nth / 32) + 1).padStart(2, "0")}:${hex(nth % 32)}`;
  const common = {
    vendor_id: "10de", vendor_name: "NVIDIA Corporation", subsystem_vendor_id: "10de", subsystem_device_id: "1467",
    iommu_group: nth + 20, mdev_capable: false, physical_function: null, virtual_functions: [], state: "unreferenced" as const,
  };
  return [
    { ...common, ...model, address: `0000:${slot}.0`, review: [], references: [] },
    {
      ...common, address: `0000:${slot}.1`, kind: "other", class: "0x040300", class_name: "Audio device",
      device_id: "1aef", device_name: "High Definition Audio Controller", review: [], references: [],
    },
  ];
}

/** A VM that names the nth card of its node, which then says so; every fourth card is named by nobody. */
function vmOf(vmid: number, node: string, cards: readonly Device[], nth: number): VM {
  const at = nth % cards.length;
  const card = cards[at - Number(at % 4 === 3)];
  if (!card) throw new Error("A node without cards has no VM that names one.");
  const mapping = nth % 3 === 0 ? `pool-${hex(at)}` : null;
  const name = `desk-${vmid}`;
  const vm = { name, node, status: nth % 2 === 0 ? "running" as const : "stopped" as const, template: false, managed: nth % 5 === 0, desktop: nth % 5 === 0 ? `Seat ${vmid}` : null };
  card.references.push({
    vmid, vm_name: name, vm_status: vm.status, template: false, managed: vm.managed, desktop: vm.desktop, slot: "hostpci0",
    phase: "current", via: mapping === null ? "address" : "mapping", mapping, certainty: "exact", selector: card.address, mdev_type: null,
  });
  card.state = card.references.length > 1 ? "multi_referenced" : "referenced";
  return {
    ...vm, vmid, config_read: true, findings: null,
    lines: [{
      slot: "hostpci0", phase: "current", value: mapping === null ? `${card.address},pcie=1` : `mapping=${mapping},pcie=1`,
      via: mapping === null ? "address" : "mapping", mapping, mdev_type: null, unplaced: [],
      devices: [{ address: card.address, device_name: card.device_name, state: "referenced", certainty: "exact" }],
    }],
  };
}

function weight({ severity }: Finding): number {
  return ["error", "warning", "info"].indexOf(severity);
}

function findingOf({ vmid, node, lines }: VM, nth: number): Finding {
  const device = lines?.[0]?.devices[0]?.address ?? "";
  const concerns = { devices: [{ node, address: device }], vms: [{ node, vmid }] };
  const common = { concerns, remedy: [`As root: qm set ${vmid} --delete hostpci0`, "Or give it another device."], evidence: [`VM ${vmid} hostpci0: ${device}`, `the list of PCI devices of node ${node}`] };
  if (nth % 3 === 0) {
    return {
      ...common, code: "device-not-present", severity: "error", subject: { node, vmid, slot: "hostpci0" },
      sentence: `hostpci0 of VM ${vmid} names ${device}, which is not there on node ${node}.`,
      params: { addresses: device, near: "", node, slots: "hostpci0", vmid: String(vmid) },
    };
  }
  return {
    ...common, code: "boot-order-collision", severity: nth % 3 === 1 ? "warning" : "info", subject: { node, device },
    sentence: `Device ${device} on node ${node} is wanted by several VMs, VM ${vmid} among them.`,
    params: { device, node, vms: `VM ${vmid} starts by itself` },
  };
}
