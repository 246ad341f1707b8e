import { useWords } from "../../i18n/words";
import { useList } from "../../components/words";
import { formatTime } from "../../domain/format";
import { nodesOf, type Intent, type Plan } from "../../domain/plan";

/** What an intent is for, in a few words. */
export function usePlanTitle(): (intent: Intent) => string {
  const { t } = useWords();
  const list = useList();
  return ({ kind, mapping, vms = [] }) => {
    const params = { name: mapping ?? "", vms: list(vms.map(String)), count: vms.length };
    if (kind === "convert") return t("plan.title.convert", params);
    if (kind === "fix") return mapping === undefined || mapping === "" ? t("plan.title.fix_vms", params) : t("plan.title.fix_mapping", params);
    return t(`plan.title.${kind}`, params);
  };
}

/** Which VM is meant, and how old what the plan was made from is. */
export function PlanSub({ plan }: { plan: Plan }) {
  const { t, i18n } = useWords();
  const vms = plan.steps.filter(({ action }) => action === "set_vm");
  const [vm] = vms;
  const read = plan.read_at === null ? t("plan.read_untold") : t("plan.read", { time: formatTime(new Date(plan.read_at), i18n.language) });
  if (!vm || vms.length > 1) return <><span className="mono">{plan.cluster}</span> · {read}</>;
  return (
    <>
      {t("plan.vm", { vmid: vm.vmid, name: vm.vm_name ?? "–" })} · <span className="mono">{vm.node}</span> · {t(vm.running ? "plan.not_stopped" : "gpu.vm.stopped")} · {read}
    </>
  );
}

/** Where the commands are run: on the nodes of the VMs, or on any. */
export function useWhere(): (plan: Pick<Plan, "steps">) => string {
  const { t } = useWords();
  const list = useList();
  return ({ steps }) => {
    const nodes = nodesOf(steps);
    return nodes.length === 0 ? t("plan.on_any") : t("plan.on", { node: list(nodes), count: nodes.length });
  };
}
