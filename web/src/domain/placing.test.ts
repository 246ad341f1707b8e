import { describe, expect, test } from "vitest";
import { answerOf, isUnread, movesOf, notRead, saidKey, sayParts, unreadElsewhere, type Leaving, type Move, type NodeVerdict, type StartReason } from "./placing";

const allowed: Move = { verdict: "allowed", code: null, slots: [], mapping: null, ha: false };
const raw: Move = { verdict: "root_only", code: "raw_address", slots: ["hostpci0"], mapping: null, ha: false };
const off: Move = { verdict: "blocked", code: "node_off", slots: [], mapping: null, ha: null };

function reason(change: Partial<StartReason>): StartReason {
  return { code: "gets", effect: "outcome", first: false, slot: null, mapping: null, devices: [], vms: [], sentence: "", params: {}, ...change };
}

function node(name: string, move: Move | null, change: Partial<NodeVerdict> = {}): NodeVerdict {
  return { node: name, here: move === null, verdict: "can_start", reasons: [], swap: null, move_powered_off: move, move_running: move, ...change };
}

function vm(vmid: number, nodes: NodeVerdict[]): Leaving {
  return { vmid, name: null, status: "stopped", template: false, nodes };
}

describe("moves", () => {
  test("nodes with the same answer stand together, the best first", () => {
    const groups = movesOf([node("a", null), node("b", off), node("c", raw), node("d", raw, { verdict: "cannot_start" }), node("e", { ...raw, ha: true })], "move_powered_off");
    expect(groups.map(({ nodes, noStart }) => [nodes, noStart])).toEqual([[["c", "d"], ["d"]], [["e"], []], [["b"], []]]);
    expect(answerOf(groups)).toBe("root");
  });

  test.each([
    [[], "nowhere"],
    [[allowed, off], "yes"],
    [[off, { ...allowed, verdict: "unverified" }], "unverified"],
    [[off, { ...off, verdict: "unknown" }], "unknown"],
    [[off], "no"],
    [[{ ...off, verdict: "not_running" }], "off"],
    [[{ ...off, verdict: "a word of a newer server" }], "unknown"],
  ] as [Move[], string][])("%j are answered with %s", (moves, answer) => {
    expect(answerOf(movesOf(moves.map((move, at) => node(String(at), move)), "move_running"))).toBe(answer);
  });
});

describe("not read", () => {
  const unread = reason({ code: "config_unread", effect: "open" });
  const silent = reason({ code: "node_off", effect: "open" });

  test("a VM without a configuration is one of which nothing can be said", () => {
    const known = vm(100, [node("b", off, { reasons: [silent] })]);
    const unknown = vm(101, [node("b", off, { reasons: [unread] })]);
    // Where there is no other node, nothing tells that it was not read.
    const alone = vm(102, []);
    expect(notRead([known, unknown, alone])).toEqual({ read: [known, alone], unread: [unknown] });
  });

  test("what was not read elsewhere is told once", () => {
    const nodes = [node("b", off, { reasons: [silent] }), node("c", raw, { reasons: [reason({ code: "vm_custom_args", effect: "open" })] })];
    expect(unreadElsewhere([vm(100, nodes), vm(101, nodes)])).toEqual([{ node: "b", reason: silent }]);
  });

  test("what nobody can tell was not left unread", () => {
    expect(isUnread(silent)).toBe(true);
    expect(isUnread(reason({ code: "may_be_held", effect: "open" }))).toBe(false);
    expect(isUnread(reason({ code: "driver_unread", effect: "remarked" }))).toBe(false);
  });
});

describe("words", () => {
  test("a variant has a message of its own", () => {
    expect(saidKey("placement", { code: "gets", params: {} })).toBe("placement.says.gets");
    expect(saidKey("placement", { code: "no_device_left", params: { variant: "held" } })).toBe("placement.says.no_device_left_held");
  });

  test("lists are written as the language does, and what is none keeps its commas", () => {
    const params = { vms: "100, 101", message: "a, b", name: "Advanced Micro Devices, Inc." };
    expect(sayParts(params, "ru", String)).toEqual({ ...params, vms: "100 и 101" });
  });

  test("of a long list the beginning is named", () => {
    const devices = Array.from({ length: 12 }, (_, at) => `0000:0${at.toString(16)}:00.0`).join(", ");
    expect(sayParts({ devices }, "en", (count) => `${count} more`)["devices"]).toMatch(/^0000:00:00\.0, .*0000:07:00\.0, and 4 more$/);
  });
});
