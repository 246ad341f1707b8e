import { Link } from "@tanstack/react-router";
import { IconRefresh } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import type { Evacuation } from "../../api/placement";
import { SectionHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { useNumber } from "../../components/number";
import { ReasonFix } from "../../components/placing";
import { usePlacingText } from "../../components/placing-text";
import { useReading } from "../../components/reading";
import { ScopeLine } from "../../components/scope";
import { Empty, NotRead } from "../../components/states";
import { useReasonText } from "../../components/words";
import { notRead, unreadElsewhere, type Leaving, type StartReason } from "../../domain/placing";
import { issueReasons } from "../../domain/vm";
import { LeaveTable, StayTable } from "./table";
import { TogetherTable } from "./together";

/** All of an evacuation: those that stay, all together, those that can leave, and what was not read. */
export function Told({ told }: { told: Evacuation }) {
  const { t } = useWords();
  const number = useNumber();
  const { read, unread } = notRead(told.stay);
  const nothing = told.stay.length + told.leave.length === 0;
  return (
    <>
      <EvacuationScope told={told} />
      {nothing && told.complete && <Empty title={t("evacuate.nothing")}><p>{t("evacuate.without", { count: told.without_devices })}</p></Empty>}
      {read.length > 0 && (
        <>
          <SectionHead title={t("evacuate.stay")} sub={number(read.length)} />
          <StayTable cluster={told.cluster} vms={read} />
        </>
      )}
      {(unread.length > 0 || !told.complete) && <Unread told={told} vms={unread} />}
      {unreadElsewhere(told.stay).map(({ node, reason }) => <UnreadNode key={`${node} ${reason.code}`} node={node} reason={reason} />)}
      {told.together.vms.filter((vm) => vm.alone).length > 1 && <TogetherTable told={told} />}
      {told.leave.length > 0 && (
        <>
          <SectionHead title={t("evacuate.leave")} sub={number(told.leave.length)} />
          <LeaveTable cluster={told.cluster} vms={told.leave} />
        </>
      )}
      {!nothing && <p className="foot">{(told.complete || told.without_devices > 0) && t("evacuate.without", { count: told.without_devices })} {t("evacuate.only_pci")}</p>}
    </>
  );
}

function EvacuationScope({ told }: { told: Evacuation }) {
  const { t } = useWords();
  const text = useReasonText();
  const scope = told.scopes.find((one) => one.node === told.node);
  const link = (key: string, words: string) => ({ key, link: <Link className="why" to="/vms" search={{ cluster: told.cluster, node: told.node }}>{words}</Link> });
  const reasons = issueReasons(told.cluster, told.node, scope?.issues ?? []).map((reason) => link(reason.key, text(reason)));
  return (
    <ScopeLine
      scope={{ checked: scope?.checked_vms ?? 0, visible: scope?.visible_vms ?? told.visible_vms, full: scope?.scope === "proven", complete: told.complete }}
      reasons={told.complete ? [] : reasons.length > 0 ? reasons : [link("node", t("evacuate.not_whole"))]}
    />
  );
}

/** The VMs of which nothing was read, where they would stand. */
function Unread({ told, vms }: { told: Evacuation; vms: readonly Leaving[] }) {
  const { t } = useWords();
  const reading = useReading();
  return (
    <div className="silent">
      <NotRead action={<button type="button" className="btn" disabled={reading?.busy ?? true} onClick={() => { reading?.refresh(); }}><Icon of={IconRefresh} />{t("frame.retry")}</button>}>
        <b>{vms.length > 0 ? t("evacuate.unread_vms", { count: vms.length, vms: vms.map((vm) => vm.vmid).join(", ") }) : t("evacuate.unread")}</b>{" "}
        {t("evacuate.unread_fix", { node: told.node })}
      </NotRead>
    </div>
  );
}

/** What was not read of another node, to which some could perhaps go. */
function UnreadNode({ node, reason }: { node: string; reason: StartReason }) {
  const { text, lang } = usePlacingText("placement")(reason);
  return <div className="silent"><NotRead><b className="mono strong">{node}</b> <span lang={lang}>{text}</span><ReasonFix node={node} reason={reason} /></NotRead></div>;
}
