import type { ReactNode } from "react";
import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { NotTold } from "../../components/states";
import type { AnswerDevice } from "../../domain/inventory";
import { classKey } from "../../domain/model";
import type { DeviceDetail } from "./drawer";

type Member = Schemas["DeviceMember"];

/** What a start of a VM with the device takes from the host besides it. */
export function TakesAlong({ detail }: { detail: DeviceDetail }) {
  const { t } = useWords();
  const members = detail.group_members;
  const lost = members?.filter((member) => member.lost && member.address !== detail.address) ?? [];
  return (
    <div className="sec">
      <h3>
        {t("gpu.takes")}{" "}
        {members !== null && detail.iommu_group !== null && <span className="label num">{t("gpu.group_of", { group: detail.iommu_group, count: members.length })}</span>}
      </h3>
      {members === null ? <NotTold>{t("gpu.group_untold")}</NotTold> : (
        <dl className="kv">
          {members.map((member) => <MemberLine key={member.address} member={member} self={member.address === detail.address} />)}
        </dl>
      )}
      {lost.length > 0 && <p className="takesnote">{t("gpu.takes_lost", { count: lost.length })}</p>}
      <TakesBeyond detail={detail} />
    </div>
  );
}

/** What a line takes besides, because it names functions of other groups as well. */
function TakesBeyond({ detail }: { detail: DeviceDetail }) {
  const { t } = useWords();
  const own = new Set(detail.group_members?.map((member) => member.address));
  const lines = detail.references
    .map(({ vmid, slot, phase, takes }) => ({ vmid, slot, key: `${vmid} ${slot} ${phase}`, takes: takes.filter((take) => !own.has(take.address)) }))
    .filter(({ takes }, at, all) => takes.length > 0 && all.findIndex((one) => one.key === all[at]?.key) === at);
  return (
    <>
      {lines.map(({ vmid, slot, key, takes }) => (
        <div key={key}>
          <p className="takesnote">{t("gpu.takes_beyond", { vm: vmid, slot })}</p>
          <dl className="kv">
            {takes.map((take) => (
              <div key={take.address} className="pairline">
                <dt className="mono">{take.address}</dt>
                <dd>{take.device_name ?? take.class_name ?? take.class}: {take.driver === null ? t("gpu.member.lost") : t("gpu.member.lost_driver", { driver: take.driver })}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </>
  );
}

function MemberLine({ member, self }: { member: Member; self: boolean }) {
  const { t } = useWords();
  const fate = self ? "self" : !member.taken ? "stays" : member.lost ? "lost" : "taken";
  const name = member.device_name ?? member.class_name;
  return (
    <>
      <dt className="mono">{member.address}</dt>
      <dd>{!self && name !== null && <>{name}: </>}{fate === "lost" && member.driver !== null
        ? t("gpu.member.lost_driver", { driver: member.driver })
        : <>{t(`gpu.member.${fate}`)}{member.driver !== null && <span className="muted"> · {member.driver}</span>}</>}</dd>
    </>
  );
}

/** What the function is. */
export function Identity({ device, detail }: { device: AnswerDevice; detail: DeviceDetail | undefined }) {
  const { t } = useWords();
  const key = classKey(device.class);
  const untold = <NotTold>{t("gpu.untold")}</NotTold>;
  const host = detail?.host;
  const lines: [string, ReactNode][] = [
    ["address", <span key="v" className="mono">{device.address}</span>],
    ["class", <span key="v"><span className="mono">{device.class}</span> {key === null ? device.class_name : t(key)}</span>],
    ["ids", <span key="v"><span className="mono">{device.vendor_id}:{device.device_id}</span> {device.device_name}</span>],
    ["vendor", device.vendor_name ?? untold],
    ["subsystem", device.subsystem_vendor_id === null ? untold : <span key="v" className="mono">{device.subsystem_vendor_id}:{device.subsystem_device_id}</span>],
    ["iommu", device.iommu_group === null ? <NotTold key="v">{t("gpu.no_group")}</NotTold> : <span key="v" className="mono">{device.iommu_group}</span>],
    ["mdev", device.mdev_capable === null ? untold : t(device.mdev_capable ? "gpu.yes" : "gpu.no")],
  ];
  if (detail && detail.slot_functions.length > 0) lines.push(["slot", <SlotMates key="v" mates={detail.slot_functions} />]);
  if (host) {
    lines.push(["driver", host.driver ?? t("gpu.none")]);
    lines.push(["reset", host.reset_methods.length > 0 ? host.reset_methods.join(", ") : t(host.reset ? "gpu.yes" : "gpu.no")]);
    lines.push(["numa", host.numa_node ?? t("gpu.none")]);
    if (host.mdev_types.length > 0) lines.push(["types", host.mdev_types.map((type) => `${type.type} (${type.available})`).join(", ")]);
  }
  return (
    <div className="sec">
      <h3>{t("gpu.identity")}</h3>
      <dl className="kv num">
        {lines.map(([name, value]) => <div key={name} className="pairline"><dt>{t(`gpu.id.${name}`)}</dt><dd>{value}</dd></div>)}
      </dl>
    </div>
  );
}

function SlotMates({ mates }: { mates: readonly Member[] }) {
  return <ul>{mates.map((mate) => <li key={mate.address}><span className="mono">{mate.address}</span> {mate.device_name ?? mate.class_name}</li>)}</ul>;
}
