import { expect, test } from "vitest";
import { splitRemedy } from "./finding";

test.each([
  ["If the host needs it: qm set 101 --delete hostpci0", "If the host needs it", "qm set 101 --delete hostpci0"],
  ["or, without PCI Express: qm set 244 --hostpci0 0a:00", "or, without PCI Express", "qm set 244 --hostpci0 0a:00"],
  ["Or take it out of HA: ha-manager remove vm:101", "Or take it out of HA", "ha-manager remove vm:101"],
  ["pct config 210 --current", "", "pct config 210 --current"],
  ["dmesg | grep -e DMAR -e IOMMU -e AMD-Vi", "", "dmesg | grep -e DMAR -e IOMMU -e AMD-Vi"],
  ["The corrected entry is: id=10de:2204,node=pve-a,path=0000:05:00", "The corrected entry is", "id=10de:2204,node=pve-a,path=0000:05:00"],
  ["The corrected entry is: description=The left one,id=10de:2204,path=0000:05:00", "The corrected entry is", "description=The left one,id=10de:2204,path=0000:05:00"],
])("what is to be copied from %s", (line, words, command) => {
  expect(splitRemedy(line)).toEqual({ words, command });
});

test.each([
  "Write the line anew as qm set 100 --hostpci0 … accepts it, or remove it.",
  "Compare with lspci -nnD on the node, then write the new addresses into the lines (qm set 101 --hostpciN …).",
  "Switch on VT-d (Intel) or AMD-Vi (AMD) in the firmware; look at dmesg | grep -e DMAR -e IOMMU -e AMD-Vi.",
  "Write the whole slot as one entry (path=0000:3c:00).",
])("no part of a sentence is offered as a command: %s", (line) => {
  expect(splitRemedy(line)).toEqual({ words: line, command: "" });
});
