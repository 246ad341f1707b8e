import { useEffect, useMemo, useRef } from "react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Devices } from "../../components/inventory";
import { useAge } from "../../components/reading";
import { Bar, Dot, Empty } from "../../components/states";
import { UnreadNode } from "../../components/unread";
import { inState, rowsOf, tilesOf, type DeviceState, type NodeView } from "../../domain/inventory";
import { rackKey } from "./keys";
import { Tiles } from "./tiles";

const evacuate: string = "/evacuate";

interface RackProps {
  devices: Devices;
  state: DeviceState | undefined;
  /** All clusters are shown: their names stand before those of the nodes. */
  all: boolean;
}

/** A line of tiles for each node. Arrows move between tiles, Enter opens. */
export function Rack({ devices, state, all }: RackProps) {
  const { t } = useTranslation();
  const { views, nodes } = devices;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => { if (box.current) rackKey(event, box.current); };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, []);
  if (views.length === 0 || views.some((view) => view.pending)) return <><SkeletonNode /><SkeletonNode /></>;
  if (nodes.length === 0) return views.every((view) => view.told?.nodes) ? <Empty title={t("overview.no_nodes")} /> : null;
  return (
    <div ref={box}>
      {nodes.map((node) => <NodeSection key={`${node.cluster}/${node.node}`} view={node} state={state} all={all} many={devices.rows.length > drawnAtOnce} />)}
    </div>
  );
}

/** So many tiles are drawn without a thought; of more, those in sight. */
const drawnAtOnce = 200;

function NodeSection({ view, state, all, many }: { view: NodeView; state: DeviceState | undefined; all: boolean; many: boolean }) {
  const { t } = useTranslation();
  const { answer, pending } = view;
  const rows = useMemo(() => (answer ? tilesOf(rowsOf(answer)) : []), [answer]);
  const shown = useMemo(() => inState(rows, state), [rows, state]);
  return (
    <section className="node" aria-label={view.node}>
      <div className="line">
        <h3>{all ? `${view.cluster} / ${view.node}` : view.node}</h3>
        <NodeWords view={view} count={rows.length} />
        {!pending && <Link className="label evaclink" to={evacuate} search={{ cluster: view.cluster, node: view.node }} title={t("evacuate.title_of", { node: view.node })}>{t("evacuate.link")}</Link>}
      </div>
      {pending && <SkeletonTiles />}
      {!pending && answer?.devices == null && <UnreadNode view={view} />}
      {answer?.devices != null && rows.length === 0 && <p className="label">{t("gpu.none_on_node")}</p>}
      {rows.length > 0 && shown.length === 0 && <p className="label">{t("overview.none_in_state")}</p>}
      {shown.length > 0 && <Tiles rows={shown} all={all} many={many} />}
    </section>
  );
}

/** How much of the node was read, and when. */
function NodeWords({ view, count }: { view: NodeView; count: number }) {
  const { t } = useTranslation();
  const { answer, pending } = view;
  if (pending) return <span className="label">{t("overview.reading")}</span>;
  const words = answer?.devices == null ? t("overview.not_read") : t("overview.devices", { count });
  const readAt = answer?.devices == null ? view.triedAt : answer.read_at === null ? null : Date.parse(answer.read_at);
  return (
    <>
      <span className="label num">
        {words}{answer && <> · {t("overview.checked", { checked: answer.checked_vms, count: answer.visible_vms })}</>}
      </span>
      {readAt !== null && <Since at={readAt} tried={answer?.devices == null} />}
    </>
  );
}

function Since({ at, tried }: { at: number; tried: boolean }) {
  const { t } = useTranslation();
  const age = useAge(at);
  return <span className="label age num">{tried ? t("overview.tried_ago", { age }) : t("overview.ago", { age })}</span>;
}

function SkeletonNode() {
  return <section className="node" aria-hidden><div className="line"><Bar width={64} /></div><SkeletonTiles /></section>;
}

function SkeletonTiles() {
  return (
    <div className="tiles" aria-hidden>
      {[96, 80, 104].map((width) => (
        <div key={width} className="tile skeltile"><span className="t1"><Dot /><Bar width={width} /></span><span className="t2"><Bar width={72} /></span><span className="t3"><Bar width={56} /></span></div>
      ))}
    </div>
  );
}
