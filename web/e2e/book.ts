import type { Locator } from "@playwright/test";
import type { Locale } from "../src/i18n";
import type { Account } from "./test";

/** What stands in the place of an answer of the server: made from what it said, or from nothing. */
export interface Altered {
  what: RegExp;
  answer: (said: Record<string, unknown>) => Record<string, unknown>;
}

/** A page as the server could not or had nothing to fill it, and the words that have to say so. */
export interface Lacking {
  altered: readonly Altered[];
  says: readonly string[];
}

/** A page, or a drawer that is open from the start, with all that every page has to stand. */
export interface Entry {
  path: string;
  /** Without a session. */
  bare?: boolean;
  titles: Record<Locale, string>;
  /** Stands there once everything was read, and only then. */
  told: (main: Locator) => Locator;
  /** The answer without which the page has nothing to show; a page that reads nothing has none. */
  reads?: RegExp;
  /** Its data age: they are of a cluster and not of this server. */
  ages?: boolean;
  /** Nothing is there, and everything was read. */
  empty?: Lacking;
  /** It was not read, which is something else. */
  unread?: Lacking;
  /** The first words of the buttons that change something, by role; none for a role that is not named. */
  changes?: Partial<Record<Account, readonly string[]>>;
}

const onlyC: Altered = {
  what: /\/clusters\/lab\/nodes$/,
  answer: (said) => ({ ...said, complete: true, problem: null, nodes: [{ name: "pve-c", online: true }] }),
};

/** The answer of the one node that is left. */
function nodeC(change: Record<string, unknown>): Altered {
  return { what: /\/nodes\/pve-c\?/, answer: (said) => ({ ...said, ...change }) };
}

const unreadNode = { devices: null, complete: false, issues: [{ code: "devices_unreadable", message: "Not told.", node: "pve-c", blocks: true, devices: null, mapping: null, slot: null, vmid: null }] };
/** The scope of a node that was seen whole, and of one that was not. */
const seen = { node: "pve-c", scope: "proven", scope_reason: null, checked_vms: 2, visible_vms: 2, devices_read: true, complete: true, read_at: new Date().toISOString(), issues: [] };
const unseen = { ...seen, scope: "unproven", scope_reason: "Not told.", checked_vms: 0, visible_vms: 2, complete: false, issues: [{ code: "vm_config_unreadable", message: "Not told.", node: "pve-c", blocks: true, devices: null, mapping: null, slot: null, vmid: 900 }] };
const nodes = /\/clusters\/lab\/nodes$/;
const mappings = /\/clusters\/lab\/mappings$/;
const suggestions = /\/clusters\/lab\/mappings\/suggestions$/;

/** Every page. One that is new needs a line here and has the whole set of tests. */
export const book: readonly Entry[] = [
  {
    path: "/", titles: { en: "Overview", "zh-CN": "概览", ru: "Обзор" },
    told: (main) => main.locator("a.tile"), reads: nodes, ages: true,
    empty: { altered: [onlyC, nodeC({ devices: [] })], says: ["No display devices or accelerators on this node"] },
    unread: { altered: [onlyC, nodeC(unreadNode)], says: ["Not read:", "Retry pve-c"] },
  },
  {
    path: "/gpus", titles: { en: "GPU resources", "zh-CN": "GPU 资源", ru: "Ресурсы GPU" },
    told: (main) => main.getByRole("row", { name: /render-1/ }), reads: nodes, ages: true,
    empty: { altered: [onlyC, nodeC({ devices: [] })], says: ["No display devices or accelerators on this node", "All PCI functions were read"] },
    unread: { altered: [onlyC, nodeC(unreadNode)], says: ["Not read:", "Retry pve-c"] },
  },
  {
    path: "/gpus?node=pve-a&device=0000:01:00.0", titles: { en: "GPU resources", "zh-CN": "GPU 资源", ru: "Ресурсы GPU" },
    told: (main) => main.locator(".drawer").getByText("hostpci0: mapping=rtx-3090,pcie=1"), reads: /\/devices\/[^/]+$/, ages: true,
    empty: { altered: [{ what: /\/devices\/[^/]+$/, answer: (said) => ({ ...said, state: "unreferenced", references: [] }) }], says: ["none in the configurations that were read", "This does not mean it can be assigned."] },
    unread: { altered: [{ what: /\/devices\/[^/]+$/, answer: (said) => ({ ...said, iommu_group: null, group_members: null }) }], says: ["no IOMMU group, or not told: what goes along cannot be said"] },
  },
  {
    path: "/doctor?node=pve-a&device=0000:01:00.0",
    titles: { en: "Doctor: 0000:01:00.0 on pve-a", "zh-CN": "诊断：pve-a 上的 0000:01:00.0", ru: "Диагностика: 0000:01:00.0 на pve-a" },
    told: (main) => main.locator(".checks > li"), reads: /\/devices\/[^/]+\/doctor$/, ages: true,
  },
  {
    path: "/evacuate?node=pve-a", titles: { en: "Evacuation of pve-a", "zh-CN": "疏散节点 pve-a", ru: "Освобождение узла pve-a" },
    told: (main) => main.getByRole("row", { name: /win11-cad/ }), reads: /\/evacuation$/, ages: true,
    empty: { altered: [{ what: /\/evacuation$/, answer: (said) => ({ ...said, stay: [], leave: [], together: { vms: [], cut: false } }) }], says: ["No PCI device keeps a VM on this node"] },
    unread: { altered: [{ what: /\/evacuation$/, answer: (said) => ({ ...said, complete: false, stay: [], leave: [], together: { vms: [], cut: false } }) }], says: ["Not all VMs of the node were seen.", "VM.Audit"] },
  },
  {
    path: "/vms", titles: { en: "VMs", "zh-CN": "虚拟机", ru: "Виртуальные машины" },
    told: (main) => main.getByRole("row", { name: /render-1/ }), reads: nodes, ages: true,
    empty: { altered: [onlyC, { what: /\/clusters\/lab\/vms\?/, answer: (said) => ({ ...said, nodes: [seen], vms: [] }) }], says: ["No VM passes a device through", "All VMs were visible and read"] },
    unread: { altered: [onlyC, { what: /\/clusters\/lab\/vms\?/, answer: (said) => ({ ...said, nodes: [unseen], vms: [] }) }], says: ["No visible VM has a hostpci line", "This does not mean that there is none", "0 of 2"] },
  },
  {
    path: "/vms/lab/103", titles: { en: "103 win11-cad", "zh-CN": "103 win11-cad", ru: "103 win11-cad" },
    told: (main) => main.getByText("hostpci2", { exact: true }), reads: /\/vms\/103\?findings=false$/, ages: true,
    empty: { altered: [{ what: /\/vms\/103\?findings=false$/, answer: (said) => ({ ...said, lines: [] }) }], says: ["No hostpci line"] },
    unread: { altered: [{ what: /\/vms\/103\?findings=false$/, answer: (said) => ({ ...said, lines: null, config_read: false }) }], says: ["It is not known which devices it names."] },
    changes: { operator: ["Convert"], admin: ["Convert"] },
  },
  {
    path: "/findings", titles: { en: "Findings", "zh-CN": "发现", ru: "Замечания" },
    told: (main) => main.getByRole("button", { name: "device-not-present" }), reads: /\/clusters\/lab\/findings$/, ages: true,
    empty: { altered: [{ what: /\/lab\/findings$/, answer: (said) => ({ ...said, nodes: [seen], findings: [] }) }], says: ["Everything was visible and read"] },
    unread: { altered: [{ what: /\/lab\/findings$/, answer: (said) => ({ ...said, nodes: [unseen], findings: [] }) }], says: ["No findings in what was read", "This does not mean that nothing is wrong", "0 of 2"] },
  },
  {
    path: "/mappings", titles: { en: "Resource mappings", "zh-CN": "资源映射", ru: "Сопоставления ресурсов" },
    told: (main) => main.getByRole("row", { name: /^old-card/ }), reads: mappings, ages: true,
    empty: { altered: [{ what: mappings, answer: (said) => ({ ...said, mappings: [], findings: [] }) }], says: ["No resource mappings", "The list was read, and it is whole."] },
    unread: { altered: [{ what: mappings, answer: (said) => ({ ...said, read: "failed", scope: "unproven", scope_reason: "No answer in time.", mappings: null, findings: [] }) }], says: ["The list of resource mappings was not read.", "No answer in time.", "Mapping.Audit"] },
    changes: { operator: ["New"], admin: ["New"] },
  },
  {
    path: "/mappings?mapping=old-card", titles: { en: "Resource mappings", "zh-CN": "资源映射", ru: "Сопоставления ресурсов" },
    told: (main) => main.locator(".entries tbody tr"), reads: mappings, ages: true,
    unread: { altered: [{ what: mappings, answer: (said) => ({ ...said, read: "failed", scope: "unproven", mappings: null }) }], says: ["is not visible here; whether it exists is not known"] },
    changes: { operator: ["Change", "Delete", "New"], admin: ["Change", "Delete", "New"] },
  },
  {
    path: "/mappings?view=findings", titles: { en: "Resource mappings", "zh-CN": "资源映射", ru: "Сопоставления ресурсов" },
    told: (main) => main.locator(".fnds > li"), reads: mappings, ages: true,
    empty: { altered: [{ what: mappings, answer: (said) => ({ ...said, read: "ok", scope: "proven", scopes: [seen], findings: [] }) }], says: ["Everything was visible and read", "No findings about mappings"] },
    unread: { altered: [{ what: mappings, answer: (said) => ({ ...said, scopes: [unseen], findings: [] }) }], says: ["This does not mean that nothing is wrong", "No findings about mappings"] },
    changes: { operator: ["New"], admin: ["New"] },
  },
  {
    path: "/mappings?view=suggestions", titles: { en: "Resource mappings", "zh-CN": "资源映射", ru: "Сопоставления ресурсов" },
    told: (main) => main.locator(".entrylines > li"), reads: suggestions, ages: true,
    empty: { altered: [{ what: suggestions, answer: (said) => ({ ...said, mappings: [], nodes_unread: [] }) }], says: ["Nothing is proposed", "lacks a mapping"] },
    unread: { altered: [{ what: suggestions, answer: (said) => ({ ...said, mappings: [], nodes_unread: ["pve-c"] }) }], says: ["was not read in full", "No proposal from the nodes that were read"] },
    changes: { operator: ["Convert", "Create", "New"], admin: ["Convert", "Create", "New"] },
  },
  {
    path: "/desktops", titles: { en: "Desktops", "zh-CN": "纳管桌面", ru: "Рабочие столы" },
    told: (main) => main.getByText("Render farm 1"), reads: /\/clusters\/lab\/desktops$/,
    empty: { altered: [{ what: /\/lab\/desktops$/, answer: (said) => ({ ...said, desktops: [] }) }], says: ["No desktops are registered", "Register the VMs of your desktop service"] },
    changes: { operator: ["Add", "Change", "Import", "Remove"], admin: ["Add", "Change", "Import", "Remove"] },
  },
  {
    path: "/clusters", titles: { en: "Clusters", "zh-CN": "集群", ru: "Кластеры" },
    told: (main) => main.getByRole("row", { name: /pciatlas@pve!demo/ }), reads: /\/api\/v1\/clusters$/,
    empty: { altered: [{ what: /\/api\/v1\/clusters$/, answer: () => ({ clusters: [] }) }], says: ["No cluster is registered", "Add one with the address of a node"] },
    changes: { admin: ["Add", "Change", "Remove", "Test"] },
  },
  {
    path: "/administrators", titles: { en: "Administrators", "zh-CN": "管理员", ru: "Администраторы" },
    told: (main) => main.getByRole("row", { name: /^operator/ }), reads: /\/api\/v1\/administrators$/,
    changes: { admin: ["Add", "Change", "Remove"] },
  },
  {
    path: "/tokens", titles: { en: "API tokens", "zh-CN": "API 令牌", ru: "Токены API" },
    told: (main) => main.locator(".empty, tbody tr[data-index]"), reads: /\/api\/v1\/tokens$/,
    empty: { altered: [{ what: /\/api\/v1\/tokens$/, answer: () => ({ tokens: [] }) }], says: ["No tokens", "Programs that use the API need one"] },
    changes: { auditor: ["Make"], operator: ["Make"], admin: ["Make"] },
  },
  {
    path: "/audit", titles: { en: "Audit log", "zh-CN": "审计日志", ru: "Журнал аудита" },
    told: (main) => main.locator("tbody tr[data-index]"), reads: /\/api\/v1\/audit(?:\?|$)/,
    empty: { altered: [{ what: /\/api\/v1\/audit(?:\?|$)/, answer: () => ({ entries: [], next: null }) }], says: ["No entries", "Nothing in the log fits the filter."] },
  },
  {
    path: "/no-such-page", titles: { en: "No such page", "zh-CN": "没有此页面", ru: "Нет такой страницы" },
    told: (main) => main.locator(".empty"),
  },
  {
    path: "/sign-in", bare: true, titles: { en: "Sign in", "zh-CN": "登录", ru: "Вход" },
    told: (main) => main.locator("input[name=password]"), reads: /\/api\/v1\/sign-in$/,
  },
  {
    path: "/setup#a-token", bare: true, titles: { en: "First set-up", "zh-CN": "首次设置", ru: "Первая настройка" },
    told: (main) => main.locator("input[type=password]"),
  },
];
