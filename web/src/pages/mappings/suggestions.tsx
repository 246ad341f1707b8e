import { useMemo } from "react";
import { Link } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { SectionHead } from "../../components/head";
import { useNumber } from "../../components/number";
import { Sign } from "../../components/sign";
import { Empty, NotRead } from "../../components/states";
import { Table, type Column } from "../../components/table";
import { shortName } from "../../domain/mapping";
import { FindingsScope } from "../findings/scope";
import { ScopeNote } from "./list-state";
import { SuggestionView } from "./suggestion";

type Told = Schemas["Suggestions"];
type Left = Told["left_out"][number];

/** The mappings that the hardware of a cluster asks for, and what is left out of them and why. */
export function Suggestions({ told, named }: { told: Told; named: boolean }) {
  const { t } = useWords();
  const number = useNumber();
  return (
    <section aria-label={named ? told.cluster : undefined} className={named ? "mapcluster" : undefined}>
      {named && <SectionHead title={<span className="mono">{told.cluster}</span>} sub={t("mapping.proposed", { count: told.mappings.length })} />}
      <FindingsScope cluster={told.cluster} nodes={told.scopes} named={false} />
      <ScopeNote scope={told.mapping_scope} fault={told.mapping_scope_fault} reason={told.mapping_scope_reason} words="suggestions" />
      {told.nodes_unread.map((node) => (
        <div key={node} className="listfault"><NotRead><p><b className="mono strong">{node}</b> {t("mapping.unread_node")}</p></NotRead></div>
      ))}
      <Notes untold={told.boot_displays_untold} some={told.mappings.length > 0} />
      {told.mappings.length === 0 && <Empty title={t(told.nodes_unread.length > 0 ? "mapping.nothing_of_read" : "mapping.nothing_proposed")}><p>{t("mapping.nothing_proposed_why")}</p></Empty>}
      {told.mappings.map((suggestion) => <SuggestionView key={suggestion.id} cluster={told.cluster} suggestion={suggestion} whole={told.mapping_scope === "proven"} />)}
      {told.left_out.length > 0 && (
        <>
          <SectionHead title={t("mapping.left_out")} sub={number(told.left_out.length)} />
          <LeftOut cluster={told.cluster} rows={told.left_out} />
        </>
      )}
    </section>
  );
}

/** What a reader has to know before he takes a proposal. */
function Notes({ untold, some }: { untold: readonly string[]; some: boolean }) {
  const { t } = useWords();
  if (!some) return null;
  return (
    <ul className="panel flist mapnotes">
      <li><span className="is-info"><Sign name="v-info" /></span><div><p>{t("mapping.proposal_note")}</p></div></li>
      {untold.length > 0 && (
        <li><span className="muted"><Sign name="c-unknown" label={t("mapping.untold")} /></span><div><p>{t("mapping.boot_untold")} <span className="mono">{untold.join(", ")}</span></p></div></li>
      )}
    </ul>
  );
}

function LeftOut({ cluster, rows }: { cluster: string; rows: readonly Left[] }) {
  const { t } = useWords();
  const columns = useMemo((): Column<Left>[] => [
    { id: "node", title: t("vm.node"), width: 136, cell: (left) => <span className="mono">{left.node}</span> },
    { id: "device", title: t("mapping.device"), cell: (left) => <LeftDevice cluster={cluster} left={left} /> },
    { id: "why", title: t("mapping.why_left"), cell: (left) => <Why cluster={cluster} left={left} /> },
  ], [t, cluster]);
  return <Table label={t("mapping.left_out")} className="leftout" columns={columns} rows={rows} rowKey={keyOf} rowHeight={32} cardHeight={96} />;
}

function keyOf({ node, address }: Left): string {
  return `${node}/${address}`;
}

function LeftDevice({ cluster, left }: { cluster: string; left: Left }) {
  const gpus: string = "/gpus";
  return (
    <>
      <Link className="mono" to={gpus} search={{ cluster, node: left.node, device: left.address }}>{left.address}</Link>
      {left.device_name !== null && <span title={left.device_name}> {shortName(left.device_name)}</span>}
    </>
  );
}

function Why({ cluster, left }: { cluster: string; left: Left }) {
  const { t } = useWords();
  return (
    <>
      {t(`mapping.left.${left.reason}`)}
      {left.mapping !== null && <> <Link className="mono" to="/mappings" search={{ cluster, mapping: left.mapping }}>{left.mapping}</Link></>}
    </>
  );
}
