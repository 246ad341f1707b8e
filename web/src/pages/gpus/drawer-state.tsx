import { useWords } from "../../i18n/words";
import { NotTold } from "../../components/states";
import { useIssueText, useList } from "../../components/words";
import type { AnswerDevice, VMRefs } from "../../domain/inventory";
import { namedBy, phaseCounts, runningHolders, type Sentence } from "../../domain/sentence";
import type { DeviceDetail } from "./drawer";

interface StateProps {
  device: AnswerDevice;
  /** undefined: still being read. */
  detail: DeviceDetail | undefined;
  node: string;
}

/** Who names the device and how much was checked, and why it needs review. */
export function StateSentence({ device, detail, node }: StateProps) {
  const { t } = useWords();
  const say = useSentence();
  const issue = useIssueText();
  // The reasons of a device that needs review tell of its candidates.
  const sentences = device.state === "needs_review" && device.review.length > 0 ? [] : namedBy(device.references).map(say);
  const checked = detail && t("gpu.checked_on", { checked: detail.checked_vms, count: detail.visible_vms, node });
  const reasons = [...new Set(device.review.map((review) => issue({ ...review, node })))];
  return (
    <div className="statesentence">
      {sentences.map((sentence) => <p key={sentence}>{sentence}</p>)}
      {device.state === "unreferenced" && detail && <p>{t("gpu.none_found", { checked: detail.checked_vms, count: detail.visible_vms })} {t("gpu.none_found_caution")}</p>}
      {reasons.length > 0 && (
        <>
          <p>{t("gpu.why_review")}</p>
          <ul className="reasons">{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>
        </>
      )}
      {device.state !== "unreferenced" && checked !== undefined && <p>{checked}</p>}
      {device.state === "multi_referenced" && <p className="muted">{t("gpu.multi_caution")}</p>}
    </div>
  );
}

function useSentence(): (sentence: Sentence) => string {
  const { t } = useWords();
  const list = useList();
  const name = useVMName();
  return ({ key, vms, slots, mapping }) => t(key, { vms: list(vms.map(name)), slots: list(slots), mapping, count: vms.length });
}

function useVMName(): (vm: VMRefs) => string {
  const { t } = useWords();
  return (vm) => (vm.name === null ? t("gpu.vm_number", { vm: vm.vmid }) : t("gpu.vm_name", { vm: vm.vmid, name: vm.name }));
}

/** Three different statements, none of which follows from another. */
export function ThreeLines({ device, detail, node }: StateProps) {
  const { t } = useWords();
  return (
    <dl className="kv threelines">
      <dt>{t("gpu.configuration")}</dt><dd className="num"><Configuration device={device} /></dd>
      <dt>{t("gpu.runtime")}</dt><dd><Runtime device={device} detail={detail} node={node} /></dd>
      <dt>{t("gpu.health")}</dt><dd><Health detail={detail} node={node} /></dd>
    </dl>
  );
}

function Configuration({ device }: { device: AnswerDevice }) {
  const { t } = useWords();
  const counts = phaseCounts(device.references);
  if (counts.vms === 0 && counts.candidate === 0) return t("gpu.config_none");
  const phases = (["current", "pending", "pending_removal", "unknown", "candidate"] as const)
    .filter((phase) => counts[phase] > 0)
    .map((phase) => t(`gpu.config_${phase}`, { n: counts[phase] }));
  return <>{counts.vms > 0 ? t("gpu.config_vms", { count: counts.vms }) : t("gpu.config_nobody")} {phases.join(", ")}</>;
}

function Runtime({ device, detail, node }: StateProps) {
  const { t } = useWords();
  const list = useList();
  const running = runningHolders(device);
  const host = detail?.host;
  const vms = running.length > 0 ? t("gpu.runs", { vms: list(running.map((vm) => String(vm.vmid))), count: running.length }) : null;
  if (!host) return <NotTold>{vms === null ? t("gpu.runtime_untold", { node }) : t("gpu.runtime_running", { vms })}</NotTold>;
  const driver = host.driver === null ? t("gpu.no_driver") : t("gpu.driver_is", { driver: host.driver });
  return <>{[vms, driver, host.uses !== null && host.uses.length > 0 ? t("gpu.host_uses", { uses: list(host.uses.map((use) => use.name)) }) : null].filter((part) => part !== null).join("; ")}</>;
}

function Health({ detail, node }: Pick<StateProps, "detail" | "node">) {
  const { t } = useWords();
  const host = detail?.host;
  const link = host?.link;
  if (host?.driver?.startsWith("vfio") === true) return <NotTold>{t("gpu.health_held", { driver: host.driver })}</NotTold>;
  if (!link?.speed || !link.width) return <NotTold>{t("gpu.health_untold", { node })}</NotTold>;
  const most = link.max_speed && link.max_width ? t("gpu.link_max", { speed: link.max_speed, width: link.max_width }) : "";
  return <>{t("gpu.link", { speed: link.speed, width: link.width })} {most}</>;
}
