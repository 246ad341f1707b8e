import { useCallback, useEffect, useMemo, useRef, type MouseEvent } from "react";
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import type { Devices } from "../../components/inventory";
import { useAge } from "../../components/reading";
import { Bar, Dot, Empty, NotRead } from "../../components/states";
import { UnreadNode } from "../../components/unread";
import { allNodesTold, inState, rowsOf, tilesOf, type DeviceState, type NodeView, type Row } from "../../domain/inventory";
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
  const { t } = useWords();
  const { views, nodes } = devices;
  const box = useRef<HTMLDivElement>(null);
  const hrefOf = useDrawer(all);
  const onClick = useFollow();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => { if (box.current) rackKey(event, box.current); };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, []);
  if (views.length === 0 || views.some((view) => view.pending)) return <><SkeletonNode /><SkeletonNode /></>;
  if (nodes.length === 0 && !(all && views.some((view) => view.error !== null))) return views.every(allNodesTold) ? <Empty title={t("overview.no_nodes")} /> : null;
  return (
    <div ref={box} onClick={onClick}>
      {all && views.filter((view) => view.error !== null).map((view) => <LostCluster key={view.cluster} cluster={view.cluster} />)}
      {nodes.map((node) => <NodeSection key={`${node.cluster}/${node.node}`} view={node} state={state} all={all} hrefOf={hrefOf} many={devices.rows.length > drawnAtOnce} />)}
    </div>
  );
}

/** Stands where the nodes of a cluster would stand; why they are not known stands above. */
function LostCluster({ cluster }: { cluster: string }) {
  const { t } = useWords();
  return (
    <section className="node" aria-label={cluster}>
      <div className="line"><h3>{cluster}</h3></div>
      <NotRead>{t("overview.no_node_known", { cluster })}</NotRead>
    </section>
  );
}

/** The address of a device's drawer. The same function as long as the cluster is the same: tiles that stay are not drawn again. */
function useDrawer(all: boolean): (row: Row) => string {
  const router = useRouter();
  const cluster = useSearch({ from: "/frame", select: (search) => search.cluster });
  return useCallback((row: Row) => {
    const search = router.options.stringifySearch({ cluster: all ? row.cluster : cluster, node: row.node, device: row.address });
    return `/gpus${search}`;
  }, [router, all, cluster]);
}

/** Follows the tile that is pressed, without loading the page anew; with Ctrl and the like the browser opens it elsewhere. */
function useFollow(): (event: MouseEvent) => void {
  const navigate = useNavigate();
  return (event) => {
    const tile = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.tile[href]") : null;
    if (!tile || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ href: tile.getAttribute("href") ?? "" });
  };
}

/** So many tiles are drawn without a thought; of more, those in sight. */
const drawnAtOnce = 200;

interface NodeSectionProps extends Pick<RackProps, "state" | "all"> {
  view: NodeView;
  hrefOf: (row: Row) => string;
  many: boolean;
}

function NodeSection({ view, state, all, hrefOf, many }: NodeSectionProps) {
  const { t } = useWords();
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
      {shown.length > 0 && <Tiles rows={shown} hrefOf={hrefOf} many={many} />}
    </section>
  );
}

/** How much of the node was read, and when. */
function NodeWords({ view, count }: { view: NodeView; count: number }) {
  const { t } = useWords();
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
  const { t } = useWords();
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
