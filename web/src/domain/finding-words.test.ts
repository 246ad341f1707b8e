import { describe, expect, test } from "vitest";
import { findingKeys, hasValues, sayParams } from "./finding-words";

const more = (count: number) => `ещё ${count}`;

describe("findingKeys", () => {
  test("names the code alone, its variant, and what follows", () => {
    expect(findingKeys({ code: "no-iommu", params: { node: "pve-a", vms: "101" } })).toEqual(["finding.no-iommu"]);
    expect(findingKeys({ code: "no-iommu" })).toEqual(["finding.no-iommu"]);
    expect(findingKeys({ code: "device-shared", params: { variant: "named", also: "held, by_itself" } }))
      .toEqual(["finding.device-shared_named", "finding.also.held", "finding.also.by_itself"]);
  });
});

describe("hasValues", () => {
  test("sees a value that is not there, and one that is empty", () => {
    expect(hasValues("VM {{vmid}} on {{node}}", { vmid: "101", node: "pve-a" })).toBe(true);
    expect(hasValues("VM {{vmid}} on {{node}}", { vmid: "101" })).toBe(false);
    expect(hasValues("VM {{vmid}}", { vmid: "" })).toBe(false);
    expect(hasValues("VM {{vmid}}", undefined)).toBe(false);
  });
});

describe("sayParams", () => {
  test("writes lists as the language does", () => {
    expect(sayParams({ vms: "101, 102, 103", node: "pve-a" }, "ru", more)).toEqual({ vms: "101, 102 и 103", node: "pve-a" });
    expect(sayParams({ vms: "101, 102" }, "zh-CN", more)).toEqual({ vms: "101和102" });
  });
  test("names the first of many, and says how many are left out", () => {
    expect(sayParams({ vms: "1, 2, 3, 4, 5, 6, 7" }, "ru", more)).toEqual({ vms: "1, 2, 3, 4, 5 и ещё 2" });
    expect(sayParams({ vms: "1, 2, 3, 4, 5" }, "ru", more)).toEqual({ vms: "1, 2, 3, 4 и 5" });
  });
  test("leaves what Proxmox VE says as it is", () => {
    expect(sayParams({ message: "can't migrate: hostpci0, hostpci1" }, "ru", more)).toEqual({ message: "can't migrate: hostpci0, hostpci1" });
  });
});
