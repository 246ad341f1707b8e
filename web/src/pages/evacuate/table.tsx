import { useWords } from "../../i18n/words";
import { CardLabel } from "../../components/list";
import { MoveText } from "../../components/placing-move";
import { Reasons } from "../../components/placing";
import { Table, type Column } from "../../components/table";
import { VerdictWord } from "../../components/verdict";
import { VMLink, VMState } from "../../components/vm";
import { keptBy, nodesWith, type Leaving } from "../../domain/placing";
import { useList } from "../../components/words";

interface Props {
  cluster: string;
  vms: readonly Leaving[];
}

function keyOf(vm: Leaving): string {
  return String(vm.vmid);
}

/** The VMs that cannot simply leave: why, and where each could start. */
export function StayTable({ cluster, vms }: Props) {
  const { t } = useWords();
  const columns: Column<Leaving>[] = [
    { id: "vm", title: t("vm.vm"), width: 176, cell: (vm) => <Name cluster={cluster} vm={vm} /> },
    { id: "why", title: t("evacuate.why"), width: 344, cell: (vm) => <Why vm={vm} /> },
    { id: "where", title: t("evacuate.where"), cell: (vm) => <Where cluster={cluster} vm={vm} /> },
  ];
  return <Table label={t("evacuate.stay")} className="evac" columns={columns} rows={vms} rowKey={keyOf} rowHeight={120} cardHeight={260} />;
}

function Name({ cluster, vm }: { cluster: string; vm: Leaving }) {
  return (
    <div>
      <span className="mono">{vm.vmid}</span> {vm.name !== null && <span className="strong"><VMLink cluster={cluster} vmid={vm.vmid} name={vm.name} /></span>}
      <div><VMState vm={vm} /></div>
    </div>
  );
}

/** What keeps it: of a stopped VM what a move while powered off meets, of others one while running. */
function Why({ vm }: { vm: Leaving }) {
  const { t } = useWords();
  const groups = keptBy(vm);
  return (
    <>
      <p className="label">{vm.status === "stopped" ? t("evacuate.why_off") : t("evacuate.why_on")}</p>
      {groups.length === 0 && <p>{t("placement.answer.nowhere")}</p>}
      <ul className="kept">{groups.map((group) => <li key={group.nodes[0]}><MoveText group={group} /></li>)}</ul>
    </>
  );
}

function Where({ cluster, vm }: { cluster: string; vm: Leaving }) {
  const { t } = useWords();
  return (
    <>
      <CardLabel>{t("evacuate.where")}</CardLabel>
      <ul className="places">
        {vm.nodes.map((node) => (
          <li key={node.node}>
            <b className="mono">{node.node}</b>
            <VerdictWord verdict={node.verdict} />
            <Reasons cluster={cluster} node={node} short />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The VMs with devices that can leave, and where to. */
export function LeaveTable({ cluster, vms }: Props) {
  const { t } = useWords();
  const list = useList();
  const columns: Column<Leaving>[] = [
    { id: "vm", title: t("vm.vm"), width: 176, cell: (vm) => <Name cluster={cluster} vm={vm} /> },
    { id: "to", title: t("evacuate.to"), cell: (vm) => <span className="mono">{list(nodesWith(vm.nodes, "can_start"))}</span> },
  ];
  return <Table label={t("evacuate.leave")} columns={columns} rows={vms} rowKey={keyOf} rowHeight={52} cardHeight={72} />;
}
