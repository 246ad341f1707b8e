interface Named {
  vendor_id: string;
  vendor_name: string | null;
  device_id: string;
  device_name: string | null;
}

/** The name by which a maker is known: "NVIDIA" of "NVIDIA Corporation". "" if it was not told. */
export function shortVendor(vendor: string | null): string {
  if (vendor === null) return "";
  const inBrackets = /\[([^\]/]+)/.exec(vendor)?.[1];
  return inBrackets ?? vendor.split(/[\s,]/)[0] ?? "";
}

/** What the PCI database says of a model: the name in brackets if there is one. null: not told. */
function marketName(device: string | null): string | null {
  return device === null ? null : (/\[([^\]]+)\]\s*$/.exec(device)?.[1] ?? device);
}

/** Maker and model, like "NVIDIA GeForce RTX 3090"; the ids if they have no name. */
export function deviceName(device: Named): string {
  const vendor = shortVendor(device.vendor_name);
  const model = marketName(device.device_name);
  if (model === null) return [vendor, `${device.vendor_id}:${device.device_id}`].filter((part) => part !== "").join(" ");
  return vendor === "" || model.toLowerCase().startsWith(vendor.toLowerCase()) ? model : `${vendor} ${model}`;
}

/** The model as short as it stays known: "RTX 3090", "Flex 170", "ASPEED". */
export function shortModel(device: Named): string {
  const model = marketName(device.device_name);
  if (model === null) return `${device.vendor_id}:${device.device_id}`;
  const short = model.replace(/^(?:GeForce|Data Center GPU|Quadro(?= RTX)) /, "").replace(/^(U?HD) Graphics /, "$1 ");
  return short === "ASPEED Graphics Family" ? "ASPEED" : short;
}

/** The model as a table of models names it, without its maker. */
export function modelName(device: Named): string {
  return marketName(device.device_name) ?? `${device.vendor_id}:${device.device_id}`;
}

const classes = new Set(["0300", "0302", "0380", "1200"]);

/** Message key of a class of displays or accelerators; null: the server's words are all there is. */
export function classKey(code: string): string | null {
  const short = code.replace(/^0x/, "").slice(0, 4);
  return classes.has(short) ? `gpu.class.${short}` : null;
}

/** An address without the domain that nearly all machines have alone. */
export function shortAddress(address: string): string {
  return address.startsWith("0000:") ? address.slice(5) : address;
}
