import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { Raw } from "../../components/copy";
import { useNumber } from "../../components/number";
import { Sign } from "../../components/sign";
import type { SignName } from "../../components/signs";
import { Bar, NotTold } from "../../components/states";
import { VMLink, VMState } from "../../components/vm";
import type { Reference } from "../../domain/inventory";

const phases: readonly Phase[] = ["current", "pending", "pending_removal"];
const phaseSigns: Partial<Record<Phase, SignName>> = { pending: "m-pending", pending_removal: "m-removal" };

type Phase = Reference["phase"];

/** The phases in their order, and after them those of a newer server. */
function phasesOf(references: readonly Reference[]): Phase[] {
  return [...new Set([...phases, ...references.map(({ phase }) => phase)])];
}

/** A reference as the list has it, and its line once the device itself has been read. */
type WithLine = Reference & Partial<Pick<Schemas["DeviceReference"], "value">>;

/** Who refers to the device, by phase. */
export function References({ cluster, references }: { cluster: string; references: readonly WithLine[] }) {
  const { t } = useWords();
  const number = useNumber();
  return (
    <div className="sec">
      <h3>{t("gpu.references")} <span className="label num">{number(references.length)}</span></h3>
      {references.length === 0 && <p className="muted">{t("gpu.no_references")}</p>}
      {phasesOf(references).map((phase) => {
        const own = references.filter((ref) => ref.phase === phase);
        const sign = phaseSigns[phase];
        return own.length === 0 ? null : (
          <div key={phase} className="phase">
            <div className="label">{sign !== undefined && <Sign name={sign} />}{t(`gpu.phase.${phase}`)}</div>
            {own.map((ref) => <OneReference key={`${ref.vmid} ${ref.slot} ${ref.selector}`} cluster={cluster} reference={ref} />)}
          </div>
        );
      })}
    </div>
  );
}

function OneReference({ cluster, reference: ref }: { cluster: string; reference: WithLine }) {
  const { t } = useWords();
  return (
    <div className="ref">
      <div className="top">
        <span className="mono strong">{ref.vmid}</span>
        <VMLink cluster={cluster} vmid={ref.vmid} name={ref.vm_name} />
        <VMState vm={{ status: ref.vm_status, template: ref.template }} />
        <span className="mark"><span className="mono">{ref.slot}</span></span>
        <Managed reference={ref} />
      </div>
      <div className="label">
        {ref.mapping === null
          ? <>{t("gpu.raw_address")} <span className="mono">{ref.selector}</span></>
          : <><Sign name={ref.certainty === "exact" ? "m-mapping" : "m-candidate"} /> <span className="mono">{ref.mapping}</span>, {t("gpu.entry")} <span className="mono">{ref.selector}</span></>}
        {ref.mdev_type !== null && <> · <span className="mono">{ref.mdev_type}</span></>}
        {" · "}{t(`gpu.certainty.${ref.certainty}`)}
      </div>
      {ref.value === undefined
        ? <div className="raw"><Bar width={200} /></div>
        : <Raw text={`${ref.slot}: ${ref.value}`} label={t("gpu.copy_line", { slot: ref.slot, vm: ref.vmid })} />}
    </div>
  );
}

function Managed({ reference: ref }: { reference: Reference }) {
  const { t } = useWords();
  if (ref.managed === null) return <span className="mark"><NotTold>{t("gpu.managed_untold")}</NotTold></span>;
  if (!ref.managed) return <span className="mark">{t("gpu.not_managed")}</span>;
  return <span className="mark">{ref.desktop === null ? t("gpu.managed") : t("gpu.managed_as", { desktop: ref.desktop })}</span>;
}
