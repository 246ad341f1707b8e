import { useWords } from "../../i18n/words";
import type { Evacuation } from "../../api/placement";
import { SectionHead } from "../../components/head";
import { Addresses } from "../../components/placing";
import { Sign } from "../../components/sign";
import { Table, type Column } from "../../components/table";
import { VMLink } from "../../components/vm";
import type { Settled } from "../../domain/placing";

/** Where as many as possible could start at the same time: two VMs may each have a place, and it may be the same one. */
export function TogetherTable({ told }: { told: Evacuation }) {
  const { t } = useWords();
  const { vms, cut } = told.together;
  const settled = vms.filter((vm) => vm.node !== null).length;
  const columns: Column<Settled>[] = [
    { id: "vm", title: t("vm.vm"), width: 176, cell: (vm) => <div><span className="mono">{vm.vmid}</span> {vm.name !== null && <VMLink cluster={told.cluster} vmid={vm.vmid} name={vm.name} />}</div> },
    { id: "to", title: t("evacuate.together_to"), width: 344, cell: (vm) => <Place vm={vm} /> },
    { id: "devices", title: t("evacuate.devices"), cell: (vm) => (vm.node === null ? "–" : <Addresses text={vm.devices.join(", ")} cluster={told.cluster} node={vm.node} known={vm.devices} />) },
  ];
  return (
    <>
      <SectionHead title={t("evacuate.together")} sub={t("evacuate.together_sub", { n: settled, count: vms.length })} />
      <Table label={t("evacuate.together")} columns={columns} rows={vms} rowKey={(vm) => String(vm.vmid)} rowHeight={32} cardHeight={88} />
      <p className="foot">{cut ? t("evacuate.together_cut") : t("evacuate.together_note")}</p>
    </>
  );
}

function Place({ vm }: { vm: Settled }) {
  const { t } = useWords();
  if (vm.node !== null) return <span className="v verdict yes"><Sign name="c-ok" /><span className="mono">{vm.node}</span></span>;
  return <span className="v verdict no"><Sign name="c-no" />{t(vm.alone ? "evacuate.not_beside" : "evacuate.not_alone")}</span>;
}
