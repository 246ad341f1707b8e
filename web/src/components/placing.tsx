import { Fragment } from "react";
import { Link } from "@tanstack/react-router";
import { useWords } from "../i18n/words";
import { isUnread, type NodeVerdict, type StartReason } from "../domain/placing";
import { usePlacingText } from "./placing-text";
import { Sign } from "./sign";
import { useList } from "./words";

interface ReasonsProps {
  cluster: string;
  node: NodeVerdict;
  /** Only what decides, for lists of many. */
  short?: boolean;
}

/** Why a VM can start on a node or not, and what it gets there. */
export function Reasons({ cluster, node, short = false }: ReasonsProps) {
  const { reasons, swap } = node;
  const refusals = reasons.filter((reason) => reason.effect === "refuses").length;
  const shown = short && node.verdict !== "can_start" ? reasons.filter((reason) => reason.effect === "refuses" || reason.effect === "open") : reasons;
  return (
    <ul className="why">
      {shown.map((reason, index) => (
        <ReasonItem key={index} cluster={cluster} node={node.node} reason={reason} first={reason.first && refusals > 1} fix={!short} />
      ))}
      {swap !== null && swap.length > 0 && <SwapItem swap={swap} />}
    </ul>
  );
}

interface ReasonItemProps {
  cluster: string;
  node: string;
  reason: StartReason;
  /** It is the one of several at which Proxmox VE stops. */
  first: boolean;
  /** What would show what is not known stands with it. */
  fix: boolean;
}

function ReasonItem({ cluster, node, reason, first, fix }: ReasonItemProps) {
  const { t } = useWords();
  const { text, lang } = usePlacingText("placement")(reason);
  return (
    <li>
      <ReasonSign reason={reason} />
      <div>
        <span lang={lang}><Addresses text={text} cluster={cluster} node={node} known={reason.devices} /></span>
        {first && <span className="mark first"> {t("placement.first")}</span>}
        {fix && <ReasonFix node={node} reason={reason} />}
      </div>
    </li>
  );
}

/** What would show what is not known. */
export function ReasonFix({ node, reason }: { node: string; reason: StartReason }) {
  const { t, i18n } = useWords();
  const fix = `placement.fix.${reason.code}`;
  return i18n.exists(fix) ? <p className="label">{t(fix, { node, vm: reason.vms.join(", ") })}</p> : null;
}

/** What a reason does to the verdict; a newer server may know more ways. */
function ReasonSign({ reason }: { reason: StartReason }) {
  const { t } = useWords();
  if (reason.effect === "refuses") return <span className="is-error"><Sign name="v-error" label={t("placement.effect.refuses")} /></span>;
  if (reason.code === "group_takes") return <span className="is-warning"><Sign name="v-warning" label={t("severity.warning")} /></span>;
  if (reason.effect === "outcome") return <Sign name="c-ok" label={t("placement.effect.outcome")} />;
  if (reason.effect === "remarked") return <span className="is-info"><Sign name="v-info" label={t("placement.effect.remarked")} /></span>;
  return isUnread(reason)
    ? <span className="muted"><Sign name="s-notread" label={t("placement.effect.unread")} /></span>
    : <Sign name="c-unknown" label={t("placement.effect.open")} />;
}

function SwapItem({ swap }: { swap: NonNullable<NodeVerdict["swap"]> }) {
  const { t } = useWords();
  const list = useList();
  return (
    <li>
      <Sign name="m-pending" />
      <span><b>{t("placement.swap")}</b> {list(swap.map(({ from, to }) => t("placement.swap_pair", { from, to })))}</span>
    </li>
  );
}

const address = /\b([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\b/;

/** A sentence in which the functions that it is about lead to their drawers. */
export function Addresses({ text, cluster, node, known }: { text: string; cluster: string; node: string; known: readonly string[] }) {
  const gpus: string = "/gpus";
  return (
    <>
      {text.split(address).map((part, index) => {
        if (index % 2 === 0) return <Fragment key={index}>{part}</Fragment>;
        if (!known.includes(part)) return <span key={index} className="mono nw">{part}</span>;
        return <Link key={index} className="mono nw" to={gpus} search={{ cluster, node, device: part }}>{part}</Link>;
      })}
    </>
  );
}
