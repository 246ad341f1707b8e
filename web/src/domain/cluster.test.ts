import { expect, test } from "vitest";
import { clusterOf, draftOf, emptyDraft, testOf, withFingerprint } from "./cluster";

const stored = {
  name: "lab",
  entries: ["https://a:8006", "https://b:8006"],
  node_addresses: { "pve-a": "https://a:8006" },
  tls: { cas: "", fingerprints: ["AA:BB"] },
  token_id: "atlas@pve!reader",
  changes: false,
  desktop_tag: null,
  limits: { vms_per_node: 0, per_node: 4, per_entry: 0, per_cluster: 0, node_budget_ms: 0, request_ms: 0 },
};

test("a form that nobody changed says what is stored", () => {
  expect({ ...clusterOf(draftOf(stored)), name: "lab" }).toEqual({ ...stored, limits: { per_node: 4 } });
  expect(draftOf(stored).secret).toBe("");
});

test("lines are trimmed and empty ones left out", () => {
  const draft = { ...emptyDraft, entries: " https://a \n\nhttps://b\n", nodeAddresses: "pve-a = https://a\nno sign", desktopTag: " vdi " };
  expect(clusterOf(draft)).toMatchObject({
    entries: ["https://a", "https://b"],
    node_addresses: { "pve-a": "https://a", "no sign": "" },
    desktop_tag: "vdi",
    limits: {},
  });
});

test("a test without a secret names no token", () => {
  expect(testOf({ ...emptyDraft, tokenId: "a@pve!b" })).not.toHaveProperty("token_id");
  expect(testOf({ ...emptyDraft, tokenId: "a@pve!b", secret: "s" })).toMatchObject({ token_id: "a@pve!b", secret: "s" });
});

test("a fingerprint is added once", () => {
  expect(withFingerprint("", "AA")).toBe("AA");
  expect(withFingerprint("AA\nBB", "AA")).toBe("AA\nBB");
  expect(withFingerprint("AA\n", "BB")).toBe("AA\nBB");
});
