import {
  IconArrowsLeftRight, IconDeviceDesktop, IconDeviceLaptop, IconFileText, IconFlag, IconKey,
  IconLayoutDashboard, IconServer, IconUser, type Icon,
} from "@tabler/icons-react";

export interface NavItem {
  path: string;
  /** Message key of the name. */
  name: string;
  /** null: the product's own sign of a card. */
  icon: Icon | null;
}

/** All pages by group. Only those that are registered with the router are shown. */
export const navGroups: readonly { name: string; items: readonly NavItem[] }[] = [
  {
    name: "nav.see",
    items: [
      { path: "/", name: "nav.overview", icon: IconLayoutDashboard },
      { path: "/gpus", name: "nav.gpus", icon: null },
      { path: "/vms", name: "nav.vms", icon: IconDeviceDesktop },
    ],
  },
  {
    name: "nav.fix",
    items: [
      { path: "/findings", name: "nav.findings", icon: IconFlag },
      { path: "/mappings", name: "nav.mappings", icon: IconArrowsLeftRight },
    ],
  },
  {
    name: "nav.run",
    items: [
      { path: "/desktops", name: "nav.desktops", icon: IconDeviceLaptop },
      { path: "/clusters", name: "nav.clusters", icon: IconServer },
      { path: "/administrators", name: "nav.administrators", icon: IconUser },
      { path: "/tokens", name: "nav.tokens", icon: IconKey },
      { path: "/audit", name: "nav.audit", icon: IconFileText },
    ],
  },
];
