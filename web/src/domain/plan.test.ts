import { describe, expect, test } from "vitest";
import {
  canForce, firstWay, functionClass, functionsAre, furtherFindings, isGood, lineDiff, mappingDiff, nodesOf, noteSeverity, waysOf, writingSteps,
  type DiffLine, type Outline, type PlannedMapping, type PlanNote, type PlanStep,
} from "./plan";

function written(lines: readonly DiffLine[]): string[] {
  return lines.map(({ sign, parts }) => `${sign} ${parts.map(({ text, strong }) => (strong ? `[${text}]` : text)).join("")}`);
}

function mapping(map: string[], more: Partial<PlannedMapping> = {}): PlannedMapping {
  return { id: "gpu-a", description: null, mdev: null, live_migration: null, map, ...more };
}

function step(more: Partial<PlanStep>): PlanStep {
  return {
    action: "set_vm", after: null, before: null, command: "qm set 101", guard: "vm_digest", guard_digest: null, lines: [], mapping: null, needs: [],
    node: "pve-a", request: "PUT /nodes/pve-a/qemu/101/config", running: false, undo_command: null, vm_name: "cad-07", vmid: 101, ...more,
  };
}

function note(code: PlanNote["code"], more: Partial<PlanNote> = {}): PlanNote {
  return { code, sentence: "A sentence.", params: {}, stops: false, forceable: false, ...more };
}

function outline(more: Partial<Outline>): Outline {
  return {
    cluster: "office", commands: "", confirm: "x", digest: "", findings: [], intent: { kind: "convert" }, may: null, notes: [], read_at: null,
    root_only: false, snapshots: [], steps: [], stopped: false, users: [], way_back: "", writes: 0, ...more,
  };
}

describe("what changes", () => {
  test("a line tells what is new in it, and keeps the order of the rest", () => {
    expect(written(lineDiff({ slot: "hostpci0", before: "0000:17:00,pcie=1,x-vga=1", after: "mapping=a5000-17,pcie=1,x-vga=1" }))).toEqual([
      "- hostpci0: 0000:17:00,pcie=1,x-vga=1", "+ hostpci0: [mapping=a5000-17],pcie=1,x-vga=1",
    ]);
  });

  test("of a mapping, entries that stay, go, come and change their places", () => {
    expect(written(mappingDiff(mapping(["a", "b", "c"]), mapping(["b", "d", "c"])))).toEqual(["- a", "= b", "+ d", "= c"]);
    expect(written(mappingDiff(mapping(["a", "b"]), mapping(["b", "a"])))).toEqual(["- a", "= b", "+ a"]);
    expect(written(mappingDiff(null, mapping(["a"])))).toEqual(["+ a"]);
    expect(written(mappingDiff(mapping(["a", "a"]), null))).toEqual(["- a", "- a"]);
  });

  test("of a mapping, properties that were set, are set and are set no more", () => {
    const before = mapping([], { description: "old", mdev: true });
    expect(written(mappingDiff(before, mapping([], { description: "new", live_migration: false })))).toEqual([
      "- description: old", "+ description: new", "- mdev: 1", "+ live-migration-capable: 0",
    ]);
    expect(mappingDiff(before, before)).toEqual([]);
  });

  test("functions are the same only where no note says otherwise", () => {
    const vm = step({});
    const line = { slot: "hostpci0", before: "", after: "", functions: [] };
    const differ = [note("may_get_another", { params: { vmid: "101", slot: "hostpci0" } })];
    expect(functionsAre(outline({}), vm, line)).toBe("same");
    expect(functionsAre(outline({ notes: differ }), vm, line)).toBe("before");
    expect(functionsAre(outline({ notes: differ }), vm, { ...line, slot: "hostpci1" })).toBe("same");
    expect(functionsAre(outline({ intent: { kind: "fix" } }), vm, line)).toBe("after");
  });

  test("classes have words or none", () => {
    expect([functionClass("0x030000"), functionClass("0x0c0330"), functionClass("0x060400")]).toEqual(["0300", "0c03", null]);
  });
});

describe("notes", () => {
  test("weigh what they do", () => {
    expect(noteSeverity(note("mapping_in_use", { stops: true, forceable: true }))).toBe("error");
    expect(noteSeverity(note("mapping_in_use", { forceable: true }))).toBe("warning");
    expect(noteSeverity(note("file_loses_lines"))).toBe("warning");
    expect(noteSeverity(note("snapshot_holds_line"))).toBe("info");
  });

  test("force is offered where it helps, and where it is what lets the plan go on", () => {
    const forceable = note("mapping_in_use", { stops: true, forceable: true });
    expect(canForce({ notes: [forceable] })).toBe(true);
    expect(canForce({ notes: [{ ...forceable, stops: false }] })).toBe(true);
    expect(canForce({ notes: [forceable, note("vm_locked", { stops: true })] })).toBe(false);
    expect(canForce({ notes: [note("snapshot_holds_line")] })).toBe(false);
  });

  test("a refusal is told once", () => {
    const finding = { code: "mapping-request-refused", evidence: [], params: {}, remedy: [], sentence: "", severity: "error", subject: {} };
    expect(furtherFindings(outline({ findings: [finding] }))).toEqual([finding]);
    expect(furtherFindings(outline({ findings: [finding], notes: [note("request_refused")] }))).toEqual([]);
  });
});

describe("ways", () => {
  const plan = { changes: true, root_only: false, may: true as boolean | null };

  test("follow the rights", () => {
    expect(waysOf(plan, true)).toEqual(["commands", "token", "root"]);
    expect(waysOf({ ...plan, may: null }, true)).toEqual(["commands", "token", "root"]);
    expect(waysOf({ ...plan, may: false }, true)).toEqual(["commands", "root"]);
    expect(waysOf({ ...plan, root_only: true }, true)).toEqual(["commands", "root"]);
    expect(waysOf(plan, false)).toEqual(["commands"]);
    expect(waysOf({ ...plan, changes: false }, true)).toEqual(["commands"]);
  });

  test("the first is the one that works for certain", () => {
    expect(firstWay(plan, ["commands", "token", "root"])).toBe("token");
    expect(firstWay({ may: null }, ["commands", "token", "root"])).toBe("commands");
    expect(firstWay({ may: true }, ["commands"])).toBe("commands");
  });

  test("steps that send something are told by number, and those in a row together", () => {
    const writes = step({});
    const yours = step({ action: "restart_vm", request: null });
    expect(writingSteps([writes, writes, yours])).toEqual(["1", "2"]);
    expect(writingSteps([writes, writes, writes, yours, writes])).toEqual(["1–3", "5"]);
    expect(writingSteps([yours])).toEqual([]);
  });

  test("commands are for the nodes of VMs", () => {
    expect(nodesOf([step({ action: "create_mapping", node: null }), step({}), step({ vmid: 102 })])).toEqual(["pve-a"]);
    expect(nodesOf([step({ action: "create_mapping", node: null })])).toEqual([]);
  });

  test("only these outcomes are as planned", () => {
    expect((["done", "already", "yours", "changed", "refused", "failed", "overtaken", "unconfirmed", "not_tried"] as const).filter((outcome) => isGood({ outcome })))
      .toEqual(["done", "already", "yours"]);
  });
});
