import { useMemo } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAllClusters } from "../../components/cluster";
import { PageHead, SectionHead } from "../../components/head";
import { DevicesScope, ListFaults, useDevices } from "../../components/inventory";
import { useNumber } from "../../components/number";
import { Sign, stateLooks } from "../../components/sign";
import { VFCount } from "../../components/vf-count";
import { useList } from "../../components/words";
import { Empty, StaleBanner } from "../../components/states";
import { capacityByCluster, capacityByModel } from "../../domain/capacity";
import { countStates, countVFStates, states, type Counts, type DeviceState } from "../../domain/inventory";
import { CapacityTable } from "./capacity";
import { Rack } from "./rack";
import { WorstFindings } from "./worst";

export function OverviewPage() {
  const { t } = useWords();
  const list = useList();
  const devices = useDevices();
  const { nodes, rows, settled } = devices;
  const { state } = useSearch({ from: "/frame/" });
  const all = useAllClusters();
  const counts = useMemo(() => ({ cards: countStates(rows), functions: countVFStates(rows) }), [rows]);
  const models = useMemo(() => capacityByModel(rows), [rows]);
  const clusters = useMemo(() => (all ? capacityByCluster(rows) : []), [rows, all]);
  const lost = devices.views.filter((view) => view.error !== null).map((view) => view.cluster);
  const read = nodes.filter((node) => node.answer?.devices != null).length;
  if (devices.names?.length === 0) return <NoCluster />;
  return (
    <>
      <PageHead title={t("nav.overview")} sub={nodes.length > 0 && <>{t("overview.devices", { count: rows.length })} · {t("overview.read", { read, count: nodes.length })}{lost.length > 0 && <> · {t("overview.lost", { names: list(lost) })}</>}</>} />
      <StaleBanner />
      <Counters counts={devices.told ? counts : null} state={state} />
      <ListFaults devices={devices} />
      <DevicesScope {...devices} />
      <div className="cols">
        <div>
          <SectionHead title={t("overview.rack")} sub={t("overview.rack_sub")} />
          <Rack devices={devices} state={state} all={all} />
        </div>
        <WorstFindings {...devices.findings} waiting={!settled} />
      </div>
      <CapacityTable rows={rows} lines={models} missing={settled ? nodes.length - read : null} lost={lost} by="model" />
      {all && <CapacityTable rows={rows} lines={clusters} missing={settled ? nodes.length - read : null} lost={lost} by="cluster" />}
    </>
  );
}

/** The four states with their numbers, of cards and of virtual functions in their drawers; null: nothing has answered yet. Each filters the rack, and a second press shows all again. */
function Counters({ counts, state }: { counts: { cards: Counts; functions: Counts } | null; state: DeviceState | undefined }) {
  const { t } = useWords();
  const number = useNumber();
  const navigate = useNavigate({ from: "/" });
  return (
    <div className="counters" role="group" aria-label={t("overview.filter")}>
      {states.map((each) => {
        const { sign, look } = stateLooks[each];
        return (
          <button
            key={each}
            type="button"
            className={`counter ${look}`}
            aria-pressed={state === each}
            onClick={() => { void navigate({ search: (old) => ({ ...old, state: state === each ? undefined : each }), replace: true }); }}
          >
            <Sign name={sign} /><b>{counts === null ? "–" : number(counts.cards[each])}</b>{t(`state.${each}`)}{counts !== null && <VFCount count={counts.functions[each]} />}
          </button>
        );
      })}
    </div>
  );
}

function NoCluster() {
  const { t } = useWords();
  return (
    <>
      <PageHead title={t("nav.overview")} />
      <Empty title={t("overview.no_cluster")} action={<Link to={clustersPath} className="btn">{t("nav.clusters")}</Link>}>
        <p>{t("overview.no_cluster_why")}</p>
      </Empty>
    </>
  );
}

const clustersPath: string = "/clusters";
