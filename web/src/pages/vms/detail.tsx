import { Link, useParams } from "@tanstack/react-router";
import { useCallback } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useWords } from "../../i18n/words";
import { useVM, type VMDetail } from "../../api/vms";
import { CopyButton } from "../../components/copy";
import { PageHead, useTitle, SectionHead } from "../../components/head";
import { ConvertVM } from "../../components/plan-buttons";
import { PrintHead } from "../../components/print-head";
import { Loaded } from "../../components/list";
import { useReportReading } from "../../components/reading";
import { ScopeLine } from "../../components/scope";
import { Empty, NotTold, StaleBanner } from "../../components/states";
import { useReasonText } from "../../components/words";
import { canConvert } from "../../domain/plan-intent";
import { issueReasons } from "../../domain/vm";
import { VMDoctor } from "./doctor";
import { VMFacts } from "./facts";
import { VMFindings } from "./findings";
import { VMPlacement } from "./placement";
import { SlotTable } from "./slots";
import { VMStatus } from "./status";

/** One VM: what its lines name, what a start takes along, where it can start, and what is to be done. */
export function VMPage() {
  const { t } = useWords();
  const { cluster, vmid } = useParams({ from: "/frame/vms/$cluster/$vmid" });
  // Proxmox VE gives numbers of nine digits at most.
  const number = /^\d{1,9}$/.test(vmid) ? Number(vmid) : 0;
  if (number > 0) return <OneVM cluster={cluster} vmid={number} />;
  return (
    <>
      <PageHead title={t("nav.vms")} />
      <Empty title={t("vm.no_such")} action={<Link to="/vms" className="btn">{t("nav.vms")}</Link>} />
    </>
  );
}

function OneVM({ cluster, vmid }: { cluster: string; vmid: number }) {
  const { t } = useWords();
  const query = useVM(cluster, vmid, false);
  const queries = useQueryClient();
  const refresh = useCallback(() => { void queries.invalidateQueries({ queryKey: ["vm", cluster, vmid] }); }, [queries, cluster, vmid]);
  const readAt = query.data?.read_at && !query.error ? Date.parse(query.data.read_at) : null;
  useReportReading({ readAt, busy: query.isFetching, refresh });
  return (
    <>
      <StaleBanner />
      <div className="crumb label"><Link to="/vms" search={{ cluster }}>{t("nav.vms")}</Link> / <span className="mono">{vmid}</span></div>
      {!query.data && <Head vmid={vmid} />}
      <Loaded query={query} rows={5}>{(vm) => <Told vm={vm} />}</Loaded>
    </>
  );
}

function Head({ vmid, vm }: { vmid: number; vm?: VMDetail }) {
  const { t } = useWords();
  useTitle(`${String(vmid)} ${vm?.name ?? ""}`.trim());
  return (
    <>
      <PrintHead title={`${t("list.vm")} ${String(vmid)}`} />
      <div className="head">
        <h1 tabIndex={-1}><span className="mono vmid">{vmid}</span> {vm?.name}</h1>
        {vm && (
          <span className="sub">
            <span className="mono">{vm.node}</span> · <VMStatus vm={vm} /> · <Managed vm={vm} />
          </span>
        )}
        {vm && <span className="acts"><CopyLink cluster={vm.cluster} vmid={vmid} />{canConvert(vm.lines) && <ConvertVM cluster={vm.cluster} vmid={vmid} />}</span>}
      </div>
    </>
  );
}

function Managed({ vm }: { vm: VMDetail }) {
  const { t } = useWords();
  if (vm.managed === null) return <NotTold>{t("gpu.managed_untold")}</NotTold>;
  return vm.managed ? t("vm.managed_as", { name: vm.desktop ?? t("vm.by_tag") }) : t("vm.not_managed");
}

function CopyLink({ cluster, vmid }: { cluster: string; vmid: number }) {
  const { t } = useWords();
  const link = `${window.location.origin}/vms/${encodeURIComponent(cluster)}/${String(vmid)}`;
  return <CopyButton text={link}>{t("vm.copy_link")}</CopyButton>;
}

function Told({ vm }: { vm: VMDetail }) {
  const { t } = useWords();
  return (
    <>
      <Head vmid={vm.vmid} vm={vm} />
      <DetailScope vm={vm} />
      {vm.others.length > 0 && <p className="err after-head">{t("vm.others", { nodes: vm.others.map((other) => other.node).join(", ") })}</p>}
      <SectionHead title={t("vm.slots")} sub={t("vm.slots_on", { node: vm.node })} />
      <SlotTable vm={vm} />
      <div className="vmcols">
        <div>
          <VMPlacement vm={vm} />
          <VMFindings cluster={vm.cluster} vmid={vm.vmid} read={vm.config_read} />
        </div>
        <div>
          <VMDoctor cluster={vm.cluster} vmid={vm.vmid} />
          <VMFacts vm={vm} />
        </div>
      </div>
    </>
  );
}

function DetailScope({ vm }: { vm: VMDetail }) {
  const text = useReasonText();
  const { t } = useWords();
  const link = (key: string, words: string) => ({ key, link: <Link className="why" to="/vms" search={{ cluster: vm.cluster, node: vm.node }}>{words}</Link> });
  const told = issueReasons(vm.cluster, vm.node, [...vm.issues, ...vm.node_issues]).map((reason) => link(reason.key, text(reason)));
  const otherwise = vm.devices_read ? t("vm.why_untold") : t("vm.devices_untold", { node: vm.node });
  return (
    <ScopeLine
      scope={{ checked: vm.checked_vms, visible: vm.visible_vms, full: vm.scope === "proven", complete: vm.complete }}
      reasons={told.length > 0 ? told : [link("node", otherwise)]}
    />
  );
}
