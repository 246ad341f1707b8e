import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLines } from "../../api/inventory";
import { Raw } from "../../components/copy";
import { Sign } from "../../components/sign";
import type { SignName } from "../../components/signs";
import { Bar, NotTold } from "../../components/states";
import { VMLink, VMState } from "../../components/vm";
import { groupByVM, type Reference } from "../../domain/inventory";

const phases: readonly Phase[] = ["current", "pending", "pending_removal"];
const phaseSigns: Partial<Record<Phase, SignName>> = { pending: "m-pending", pending_removal: "m-removal" };

type Phase = Reference["phase"];

/** The phases in their order, and after them those of a newer server. */
function phasesOf(references: readonly Reference[]): Phase[] {
  return [...new Set([...phases, ...references.map(({ phase }) => phase)])];
}

// Each line is a read of the node of its VM: for so many VMs it is made without being asked for.
const readUnasked = 4;

/** Who refers to the device, by phase. */
export function References({ cluster, references }: { cluster: string; references: readonly Reference[] }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const lines = asked || groupByVM(references).length <= readUnasked;
  return (
    <div className="sec">
      <h3>{t("gpu.references")} <span className="label num">{references.length}</span></h3>
      {references.length === 0 && <p className="muted">{t("gpu.no_references")}</p>}
      {phasesOf(references).map((phase) => {
        const own = references.filter((ref) => ref.phase === phase);
        const sign = phaseSigns[phase];
        return own.length === 0 ? null : (
          <div key={phase} className="phase">
            <div className="label">{sign !== undefined && <Sign name={sign} />}{t(`gpu.phase.${phase}`)}</div>
            {own.map((ref) => <OneReference key={`${ref.vmid} ${ref.slot} ${ref.selector}`} cluster={cluster} reference={ref} lines={lines} />)}
          </div>
        );
      })}
      {!lines && <div className="secbtns"><button type="button" className="btn small" onClick={() => { setAsked(true); }}>{t("gpu.read_lines")}</button></div>}
    </div>
  );
}

function OneReference({ cluster, reference: ref, lines }: { cluster: string; reference: Reference; lines: boolean }) {
  const { t } = useTranslation();
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
      {lines && <Line cluster={cluster} reference={ref} />}
    </div>
  );
}

function Managed({ reference: ref }: { reference: Reference }) {
  const { t } = useTranslation();
  if (ref.managed === null) return <span className="mark"><NotTold>{t("gpu.managed_untold")}</NotTold></span>;
  if (!ref.managed) return <span className="mark">{t("gpu.not_managed")}</span>;
  return <span className="mark">{ref.desktop === null ? t("gpu.managed") : t("gpu.managed_as", { desktop: ref.desktop })}</span>;
}

/** The line as it stands in the configuration of the VM. */
function Line({ cluster, reference: ref }: { cluster: string; reference: Reference }) {
  const { t } = useTranslation();
  const read = useLines(cluster, ref.vmid, true);
  if (read.isPending) return <div className="raw"><Bar width={200} /></div>;
  const line = read.isError ? undefined : read.data.lines?.find(({ slot, phase }) => slot === ref.slot && phase === ref.phase);
  return line ? <Raw text={`${line.slot}: ${line.value}`} label={t("gpu.copy_line", { slot: line.slot, vm: ref.vmid })} /> : <p className="label"><NotTold>{t("gpu.line_untold")}</NotTold></p>;
}
