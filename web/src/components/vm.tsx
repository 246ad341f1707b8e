import { Link } from "@tanstack/react-router";
import { useWords } from "../i18n/words";
import type { VMRefs } from "../domain/inventory";
import { usePagePaths } from "./nav";
import { Sign } from "./sign";

const vmPath: string = "/vms/$cluster/$vmid";

/** The name of a VM, which leads to its page. A VM without a name has its number there. */
export function VMLink({ cluster, vmid, name }: { cluster: string; vmid: number; name: string | null }) {
  const words = name ?? String(vmid);
  if (!usePagePaths().has(vmPath)) return <span>{words}</span>;
  const to: string = `/vms/${encodeURIComponent(cluster)}/${vmid}`;
  return <Link to={to}>{words}</Link>;
}

/** The sign of what a VM does now, before its name. */
export function VMSign({ vm }: { vm: Pick<VMRefs, "status" | "template"> }) {
  const { t } = useWords();
  const { name, word } = vmState(vm);
  return <span className="muted vmsign" title={t(word)}><Sign name={name} label={t(word)} /></span>;
}

/** The same with its word. */
export function VMState({ vm }: { vm: Pick<VMRefs, "status" | "template"> }) {
  const { t } = useWords();
  const { name, word } = vmState(vm);
  return <span className="mark"><Sign name={name} />{t(word)}</span>;
}

function vmState({ status, template }: Pick<VMRefs, "status" | "template">) {
  if (template) return { name: "m-template", word: "gpu.vm.template" } as const;
  if (status === "running") return { name: "m-running", word: "gpu.vm.running" } as const;
  if (status === "stopped") return { name: "m-stopped", word: "gpu.vm.stopped" } as const;
  // A state of a newer server has no words: it is told as unknown.
  return { name: "m-nottold", word: `gpu.vm.${status}` } as const;
}
