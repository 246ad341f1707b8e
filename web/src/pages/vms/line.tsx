import { useWords } from "../../i18n/words";
import { lookOf, Sign, type DeviceState } from "../../components/sign";
import type { VMLine } from "../../domain/vm";

/** One hostpci line in a list: slot, pinned or mapped, and what it names. */
export function LineView({ line }: { line: VMLine }) {
  return (
    <li className="ln">
      <span><span className="mono">{line.slot}</span><Phase phase={line.phase} /></span>
      <Via line={line} />
      <ul className="devs">
        {line.devices.map((device) => (
          <DeviceItem key={device.address} device={device} />
        ))}
        {line.unplaced.map((part, index) => <Unplaced key={`unplaced ${String(index)}`} part={part} />)}
      </ul>
    </li>
  );
}

/** A newer server may tell of further phases. */
const phaseSigns: Readonly<Partial<Record<string, "m-pending" | "m-removal">>> = { pending: "m-pending", pending_removal: "m-removal" };

/** Whether the line is in effect; nothing is said of one that is. */
export function Phase({ phase }: { phase: VMLine["phase"] }) {
  const { t } = useWords();
  if (phase === "current") return null;
  return <span className="mark phase-mark"><Sign name={phaseSigns[phase] ?? "m-nottold"} />{t(`vm.phase_${phase}`)}</span>;
}

/** Whether the line pins an address or names a mapping. */
export function Via({ line }: { line: Pick<VMLine, "via" | "mapping" | "mdev_type"> }) {
  const { t } = useWords();
  return (
    <span className="via">
      {line.via === "mapping" && <span className="mark" title={line.mapping ?? undefined}><Sign name="m-mapping" label={t("vm.mapping")} /><span className="mono">{line.mapping}</span></span>}
      {line.via === "address" && <span className="mark">{t("vm.pinned")}</span>}
      {line.via === null && <span className="mark">{t("vm.refused_line")}</span>}
      {line.mdev_type !== null && <span className="mark"><Sign name="m-vgpu" label="vGPU" /><span className="mono">{line.mdev_type}</span></span>}
    </span>
  );
}

interface NamedDevice {
  address: string;
  device_name: string | null;
  state: DeviceState;
  certainty: "exact" | "candidate";
}

/** A function with the sign of its state. */
export function DeviceItem({ device, others = [] }: { device: NamedDevice; others?: readonly number[] }) {
  const { t } = useWords();
  const { sign, look } = lookOf(device.state);
  return (
    <li>
      <span className={look} title={t(`state.${device.state}`)}><Sign name={sign} label={t(`state.${device.state}`)} /></span>
      <span className="mono">{device.address}</span>
      <span className="nm" title={device.device_name ?? undefined}>{device.device_name ?? t("vm.no_device_name")}</span>
      {device.certainty === "candidate" && <span className="mark"><Sign name="m-candidate" />{t("vm.candidate")}</span>}
      {others.length > 0 && <span className="label">{t("vm.also", { vms: others.join(", ") })}</span>}
    </li>
  );
}

type Part = VMLine["unplaced"][number];

/** A part of a line that names no device that is known. */
export function Unplaced({ part }: { part: Part }) {
  const { t } = useWords();
  return (
    <li className="unplaced">
      <Sign name="c-missing" />
      <span className="mono">{part.selector ?? "…"}</span>
      <span className="muted">{t(`vm.unplaced_${part.reason}`)}</span>
    </li>
  );
}
