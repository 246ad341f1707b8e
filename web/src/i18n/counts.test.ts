import i18next from "i18next";
import { beforeAll, expect, test } from "vitest";
import { setLanguage, startLanguage, type Locale } from "./index";

beforeAll(startLanguage);

const checked = { checked: 9999, count: 10_000 };
const nbsp = "\u00a0";

test.each<[Locale, string[]]>([
  ["en", ["9,999 of 10,000 visible VMs checked", "10,000 devices", "New: 1,000. Changed: 2,000. Removed: 3,000.", "1 cluster"]],
  ["zh-CN", ["9,999", "10,000", "10,000", "1,000", "2,000", "3,000"]],
  ["ru", [`9${nbsp}999`, `10${nbsp}000`, `10${nbsp}000`, `1${nbsp}000`, `2${nbsp}000`, `3${nbsp}000`]],
])("%s: what counts has the figures of the language", async (locale, wanted) => {
  await setLanguage(locale);
  const said = [
    i18next.t("scope.checked", checked), i18next.t("gpu.foot", { count: 10_000 }),
    i18next.t("desktop.imported_what", { created: 1000, changed: 2000, removed: 3000 }), i18next.t("cluster.count", { count: 1 }),
  ].join("\n");
  for (const part of wanted) expect(said).toContain(part);
});

test.each<[Locale]>([["en"], ["zh-CN"], ["ru"]])("%s: what names something stays as it is", async (locale) => {
  await setLanguage(locale);
  expect(i18next.t("gpu.vm_number", { vm: 10_000 })).toContain("10000");
  expect(i18next.t("desktop.change_title", { vmid: 100_000 })).toContain("100000");
  expect(i18next.t("desktop.line", { line: 12_345 })).toContain("12345");
  expect(i18next.t("gpu.vm_name", { vm: 100, name: "10000" })).toContain("10000");
});
