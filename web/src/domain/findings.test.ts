import { expect, test } from "vitest";
import type { Finding } from "./finding";
import { countByCode, countBySeverity, filterFindings, findingKey, mergeFindings } from "./findings";

function finding(code: Finding["code"], severity: Finding["severity"], subject: Finding["subject"] = {}, cluster = "lab"): Finding {
  return { cluster, code, severity, subject, sentence: "", evidence: [], remedy: [] };
}

const all = [
  finding("device-shared", "error", { node: "pve-a", device: "0000:01:00.0" }),
  finding("device-shared", "warning", { node: "pve-b", device: "0000:01:00.0" }),
  finding("mapping-unused", "info", { mapping: "gpu" }),
];

test.each([
  [{}, [0, 1, 2]],
  [{ severity: "error" }, [0]],
  [{ code: "device-shared" }, [0, 1]],
  [{ node: "pve-b" }, [1, 2]],
  [{ node: "pve-b", code: "device-shared" }, [1]],
] as const)("%j leaves %j", (filter, want) => {
  expect(filterFindings(all, { severity: null, code: "", node: "", ...filter })).toEqual(want.map((at) => all[at]));
});

test("clusters are merged by severity and keep their order in it", () => {
  const other = [finding("no-iommu", "error", {}, "second"), finding("acs-override-active", "warning", {}, "second")];
  expect(mergeFindings([all, other]).map((one) => `${one.cluster} ${one.severity}`)).toEqual([
    "lab error", "second error", "lab warning", "second warning", "lab info",
  ]);
});

test("counts", () => {
  expect(countBySeverity(all)).toEqual({ error: 1, warning: 1, info: 1 });
  expect(countByCode(all)).toEqual([["device-shared", 2], ["mapping-unused", 1]]);
});

test("two findings have two keys", () => {
  expect(new Set(all.map(findingKey)).size).toBe(3);
});
