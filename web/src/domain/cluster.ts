/** The limits of a cluster; 0 stands for the default. */
export const limitNames = ["vms_per_node", "per_node", "per_entry", "per_cluster", "node_budget_ms", "request_ms"] as const;

export type LimitName = (typeof limitNames)[number];

/** A cluster as its form has it: texts, as they are typed. */
export interface ClusterDraft {
  name: string;
  /** One address in a line. */
  entries: string;
  /** `node=address`, one in a line. */
  nodeAddresses: string;
  /** One in a line. */
  fingerprints: string;
  cas: string;
  tokenId: string;
  /** "": the stored one stays. */
  secret: string;
  desktopTag: string;
  changes: boolean;
  limits: Record<LimitName, string>;
}

interface StoredCluster {
  name: string;
  entries: string[];
  node_addresses: Record<string, string>;
  tls: { cas: string; fingerprints: string[] };
  token_id: string;
  changes: boolean;
  desktop_tag: string | null;
  limits: Record<LimitName, number>;
}

const noLimits = Object.fromEntries(limitNames.map((name) => [name, ""])) as Record<LimitName, string>;

/** The form of a new cluster. */
export const emptyDraft: ClusterDraft = {
  name: "", entries: "", nodeAddresses: "", fingerprints: "", cas: "", tokenId: "", secret: "", desktopTag: "", changes: false, limits: noLimits,
};

/** The form of a cluster that there is. Its secret is not known here. */
export function draftOf(cluster: StoredCluster): ClusterDraft {
  return {
    name: cluster.name,
    entries: cluster.entries.join("\n"),
    nodeAddresses: Object.entries(cluster.node_addresses).map(([node, address]) => `${node}=${address}`).join("\n"),
    fingerprints: cluster.tls.fingerprints.join("\n"),
    cas: cluster.tls.cas,
    tokenId: cluster.token_id,
    secret: "",
    desktopTag: cluster.desktop_tag ?? "",
    changes: cluster.changes,
    limits: Object.fromEntries(limitNames.map((name) => [name, cluster.limits[name] === 0 ? "" : String(cluster.limits[name])])) as Record<LimitName, string>,
  };
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The part of a cluster that says how to reach it. */
export function connectionOf(draft: ClusterDraft) {
  const pairs = lines(draft.nodeAddresses).map((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return {
    entries: lines(draft.entries),
    node_addresses: Object.fromEntries(pairs) as Record<string, string>,
    tls: { cas: draft.cas.trim(), fingerprints: lines(draft.fingerprints) },
  };
}

/** A form as the server takes it, without name, secret and revision. */
export function clusterOf(draft: ClusterDraft) {
  const tag = draft.desktopTag.trim();
  const limits = limitNames.filter((name) => draft.limits[name].trim() !== "").map((name) => [name, Number(draft.limits[name])]);
  return {
    ...connectionOf(draft),
    token_id: draft.tokenId.trim(),
    changes: draft.changes,
    desktop_tag: tag === "" ? null : tag,
    limits: Object.fromEntries(limits) as Partial<Record<LimitName, number>>,
  };
}

/** A connection to test; without a secret only the certificate is looked at. */
export function testOf(draft: ClusterDraft) {
  const secret = draft.secret.trim();
  return { ...connectionOf(draft), ...(secret === "" ? {} : { token_id: draft.tokenId.trim(), secret }) };
}

/** Adds a fingerprint to those of a form, once. */
export function withFingerprint(fingerprints: string, one: string): string {
  const all = lines(fingerprints);
  return all.includes(one) ? fingerprints : [...all, one].join("\n");
}
