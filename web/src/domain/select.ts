/** What the address says is open: a device, with what it needs to be found. */
export interface DeviceSelection {
  cluster: string;
  node: string;
  address: string;
}

/**
 * Reads the open device of an address: "0000:01:00.0" beside a chosen node, else
 * "pve-a/0000:01:00.0", or with the cluster in front where all are shown.
 */
export function parseDevice(text: string | undefined, cluster: string | null, node: string | undefined): DeviceSelection | null {
  const parts = text?.split("/") ?? [];
  const address = parts.pop();
  const named = parts.pop() ?? node;
  const where = parts.pop() ?? cluster;
  return address === undefined || address === "" || named === undefined || where === null ? null : { cluster: where, node: named, address };
}

/** Writes it as short as it stays clear. all: all clusters are shown; node: the chosen one. */
export function writeDevice(device: DeviceSelection, all: boolean, node: string | undefined): string {
  if (all) return `${device.cluster}/${device.node}/${device.address}`;
  return node === device.node ? device.address : `${device.node}/${device.address}`;
}
