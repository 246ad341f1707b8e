import { Link } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { usePlacement, type Placement } from "../../api/placement";
import type { VMDetail } from "../../api/vms";
import { SectionHead } from "../../components/head";
import { Loaded } from "../../components/list";
import { Reasons } from "../../components/placing";
import { Table, type Column } from "../../components/table";
import { VerdictWord } from "../../components/verdict";
import { useList } from "../../components/words";
import type { NodeVerdict } from "../../domain/placing";
import { StartAndMove } from "./moves";

/** On which nodes the VM can start, what a move would meet, and what would be with the mappings that are suggested. */
export function VMPlacement({ vm }: { vm: VMDetail }) {
  const { t } = useWords();
  const query = usePlacement(vm.cluster, vm.vmid);
  return (
    <>
      <SectionHead title={t("placement.title")} sub={t("placement.sub")} />
      <Loaded query={query} rows={3}>
        {(told) => (
          <>
            {told.slots.length === 0 && vm.config_read && <p className="after-head">{t("placement.no_slots")}</p>}
            <NodeTable cluster={vm.cluster} nodes={told.nodes} label={t("placement.title")} />
            <StartAndMove told={told} />
            {told.suggested !== null && <Suggested cluster={vm.cluster} suggested={told.suggested} />}
          </>
        )}
      </Loaded>
    </>
  );
}

function NodeTable({ cluster, nodes, label }: { cluster: string; nodes: readonly NodeVerdict[]; label: string }) {
  const { t } = useWords();
  const columns: Column<NodeVerdict>[] = [
    { id: "node", title: t("placement.node"), width: 96, cell: (node) => <><b className="mono">{node.node}</b>{node.here && <span className="label here"> {t("placement.here")}</span>}</> },
    { id: "verdict", title: t("placement.verdict"), width: 148, cell: (node) => <VerdictWord verdict={node.verdict} /> },
    { id: "why", title: t("placement.reasons"), cell: (node) => <Reasons cluster={cluster} node={node} /> },
  ];
  return <Table label={label} className="place" columns={columns} rows={nodes} rowKey={(node) => node.node} rowHeight={72} cardHeight={120} />;
}

/** What would be: mappings that are there only as a proposal never look like mappings that are. */
function Suggested({ cluster, suggested }: { cluster: string; suggested: NonNullable<Placement["suggested"]> }) {
  const { t } = useWords();
  const list = useList();
  const mappings: string = "/mappings";
  const suggestions = { cluster, view: "suggestions" } as const;
  return (
    <>
      <SectionHead
        title={t("placement.suggested")}
        sub={t("placement.suggested_sub")}
        more={<Link to={mappings} search={suggestions}>{t("placement.suggested_open")}</Link>}
      />
      <div className="suggested">
        <ul>
          {suggested.mappings.map(({ id, exists, slots }) => (
            <li key={id}>{t(exists ? "placement.suggested_more" : "placement.suggested_new", { mapping: id, slots: list(slots) })}</li>
          ))}
          {suggested.raw_slots.length > 0 && <li>{t("placement.suggested_raw", { count: suggested.raw_slots.length, slots: list(suggested.raw_slots) })}</li>}
        </ul>
        <NodeTable cluster={cluster} nodes={suggested.nodes} label={t("placement.suggested")} />
      </div>
    </>
  );
}
