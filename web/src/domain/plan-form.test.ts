import { describe, expect, test } from "vitest";
import type { components } from "../api/schema";
import type { Mapping } from "./mapping";
import { change, creation, draftOf, emptyMapping, entriesOf, entryFor, hasCompanions, withEntry } from "./plan-form";
import { canConvert, fixOf, takingOf } from "./plan-intent";

type Device = components["schemas"]["AnswerDevice"];

function entry(number: number, map: string): Mapping["cells"][number]["entries"][number] {
  return { description: null, devices: null, faults: [], id: "", iommugroup: null, map, number, path: "", subsystem_id: null, untold: false };
}

const demand = { vms: 0, slots: 0, running: 0, starting: 0, stopped: 0, templates: 0, status_unknown: 0 };

function cell(node: string, entries: Mapping["cells"][number]["entries"]): Mapping["cells"][number] {
  return { agrees: null, capacity: 0, demand, entries, node, pve_checks: null, pve_read: "not_asked", pve_read_at: null, verdict: "ok" };
}

const gpu: Mapping = {
  cells: [cell("pve-b", [entry(2, "two")]), cell("pve-a", [entry(1, "one"), entry(3, "three")])],
  description: "Two cards", entries: 3, id: "gpu-a", live_migration_capable: true, mdev: false, models: [], snapshots: [], users: [], vms: 0,
};

function device(address: string, more: Partial<Device> = {}): Device {
  return {
    address, class: "0x030000", class_name: null, device_id: "0x2204", device_name: null, iommu_group: 14, kind: "display", mdev_capable: null,
    physical_function: null, references: [], review: [], state: "unreferenced", subsystem_device_id: "0x403b", subsystem_vendor_id: "0x1458",
    vendor_id: "0x10de", vendor_name: null, virtual_functions: null, ...more,
  };
}

describe("what was typed", () => {
  test("begins as the mapping is, entries by number", () => {
    expect(draftOf(gpu)).toEqual({ name: "gpu-a", description: "Two cards", entries: "one\ntwo\nthree", mdev: false, live: true });
  });

  test("of a new mapping names what was set alone", () => {
    expect(creation({ ...emptyMapping, name: " gpu-b ", entries: "one\n\n two " })).toEqual({ kind: "create", mapping: "gpu-b", entries: ["one", "two"] });
    expect(creation({ name: "x", description: "d", entries: "one", mdev: true, live: true })).toEqual({
      kind: "create", mapping: "x", entries: ["one"], description: "d", mdev: true, live_migration: true,
    });
  });

  test("of a change names what was touched alone", () => {
    const draft = draftOf(gpu);
    expect(change(gpu, draft)).toEqual({ kind: "change", mapping: "gpu-a" });
    expect(change(gpu, { ...draft, description: " ", live: false, mdev: true, entries: "two\none" })).toEqual({
      kind: "change", mapping: "gpu-a", entries: ["two", "one"], mdev: true, unset: ["description", "live-migration-capable"],
    });
    expect(change(gpu, { ...draft, description: "New" })).toEqual({ kind: "change", mapping: "gpu-a", description: "New" });
  });
});

describe("an entry for a device", () => {
  const card = [device("0000:01:00.0"), device("0000:01:00.1", { class: "0x040300" }), device("0000:02:00.0")];

  test("says all that is compared, and leaves out what the device does not have", () => {
    expect(entryFor("pve-a", device("0000:01:00.0"), true)).toBe("id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00,subsystem-id=1458:403b");
    expect(entryFor("pve-a", device("0000:02:00.0", { iommu_group: null, subsystem_vendor_id: null, subsystem_device_id: null }), false))
      .toBe("id=10de:2204,node=pve-a,path=0000:02:00.0");
  });

  test("is for the whole slot where functions are beside it", () => {
    expect(card.map((one) => hasCompanions(one, card))).toEqual([true, false, false]);
  });

  test("comes after those that are there", () => {
    expect(withEntry("one\n\n", "two")).toBe("one\ntwo");
    expect(withEntry("", "one")).toBe("one");
    expect(entriesOf(" \n")).toEqual([]);
  });
});

describe("intents of what the server proposes", () => {
  test("a finding that tells one new address can be fixed", () => {
    const subject = { node: "pve-a", mapping: "gpu-a" };
    expect(fixOf({ code: "device-moved", subject, params: { variant: "entry" } })).toEqual({ kind: "fix", mapping: "gpu-a" });
    expect(fixOf({ code: "device-moved", subject: { node: "pve-a", vmid: 101 }, params: { variant: "shifted" } })).toEqual({ kind: "fix", vms: [101] });
    expect(fixOf({ code: "device-moved", subject, params: { variant: "devices" } })).toBeNull();
    expect(fixOf({ code: "mapping-invalid", subject, params: { variant: "entry" } })).toBeNull();
  });

  test("a proposal is taken as it is", () => {
    const one = { id: "gpu-a", map: ["one"], mdev: false, changes: false };
    expect(takingOf(one)).toEqual({ kind: "create", mapping: "gpu-a", entries: ["one"] });
    expect(takingOf({ ...one, mdev: true })).toEqual({ kind: "create", mapping: "gpu-a", entries: ["one"], mdev: true });
    expect(takingOf({ ...one, mdev: true, changes: true })).toEqual({ kind: "change", mapping: "gpu-a", entries: ["one"] });
  });
});

test("what the next start finds can be converted where it names an address", () => {
  const line = (slot: string, phase: "current" | "pending" | "pending_removal", via: "address" | "mapping" | null) => ({ slot, phase, via });
  expect(canConvert([line("hostpci0", "current", "address")])).toBe(true);
  expect(canConvert([line("hostpci0", "current", "address"), line("hostpci0", "pending", "mapping")])).toBe(false);
  expect(canConvert([line("hostpci0", "current", "mapping"), line("hostpci0", "pending", "address")])).toBe(true);
  expect(canConvert([line("hostpci0", "pending_removal", "address"), line("hostpci1", "current", "mapping"), line("hostpci2", "current", null)])).toBe(false);
  expect(canConvert(null)).toBe(false);
});
