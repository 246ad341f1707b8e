import { useWords } from "../../i18n/words";
import type { VMDetail } from "../../api/vms";
import { Raw } from "../../components/copy";
import { Sign } from "../../components/sign";
import { Empty, NotRead } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { DeviceItem, Phase, Unplaced, Via } from "./line";

type Line = NonNullable<VMDetail["lines"]>[number];

/** The hostpci lines of a VM. */
export function SlotTable({ vm }: { vm: VMDetail }) {
  const { t } = useWords();
  if (vm.lines === null) return <NotRead>{t("vm.config_not_read_long")}</NotRead>;
  if (vm.lines.length === 0) return <Empty title={t("vm.no_lines")} />;
  const columns: Column<Line>[] = [
    { id: "slot", title: t("vm.slot"), width: 112, cell: (line) => <div><span className="mono">{line.slot}</span><div><Phase phase={line.phase} /></div></div> },
    { id: "via", title: t("vm.via"), width: 176, cell: (line) => <Via line={line} /> },
    { id: "devices", title: t("vm.devices_on", { node: vm.node }), cell: (line) => <Devices line={line} /> },
    { id: "line", title: t("vm.line"), width: 376, cell: (line) => <Raw text={`${line.slot}: ${line.value}`} /> },
  ];
  return <Table label={t("vm.slots")} className="slots" columns={columns} rows={vm.lines} rowKey={(line) => `${line.slot} ${line.phase}`} rowHeight={48} cardHeight={160} />;
}

function Devices({ line }: { line: Line }) {
  const { t } = useWords();
  return (
    <>
      <ul className="devs">
        {line.functions.map((device) => <DeviceItem key={device.address} device={device} others={device.other_vms} />)}
        {line.unplaced.map((part, index) => <Unplaced key={`unplaced ${String(index)}`} part={part} />)}
      </ul>
      {line.takes.length > 0 && (
        <div className="takes">
          <p className="label">{t("vm.takes")}</p>
          <ul className="devs">
            {line.takes.map((take) => (
              <li key={take.address}>
                <span className="muted"><Sign name="m-group" /></span>
                <span className="mono">{take.address}</span>
                <span className="nm">{take.device_name ?? take.class_name ?? take.class}</span>
                <span className="mark">{t("vm.group", { group: take.iommu_group })}{take.driver !== null && <span className="mono"> {take.driver}</span>}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
