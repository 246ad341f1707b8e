import { useMemo, useState } from "react";
import { useSearch } from "@tanstack/react-router";
import { IconDownload } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import type { ClusterRead, ExportFormat } from "../../api/mappings";
import { Icon } from "../../components/icon";
import { ExportMenu } from "../../components/list";
import { Menu, type MenuItem } from "../../components/menu";
import { listScope } from "../../domain/export";
import { listIncomplete, mappingRows, searchMappings, type Mappings } from "../../domain/mapping";
import { mappingCells, mappingCsv, suggestionCsv } from "../../domain/mapping-export";
import { incompleteBecause } from "../../domain/scope";
import { scopeOfVMs } from "../../domain/vm";
import { WriteDownDialog } from "./write-down";

const formats: readonly ExportFormat[] = ["commands", "terraform", "json"];

interface WriteDownProps {
  clusters: readonly string[];
  suggested: boolean;
  /** null: all. */
  mapping: string | null;
  /** All mappings that there are were visible. */
  whole: boolean;
}

/** The items that write mappings down, and the dialog that one of them has opened. */
function useWriteDown(props: WriteDownProps) {
  const { t } = useWords();
  const [format, setFormat] = useState<ExportFormat | null>(null);
  const items = formats.map((one, at): MenuItem => ({ key: `as ${one}`, label: t(`mapping.format.${one}`), separated: at === 0, onSelect: () => { setFormat(one); } }));
  const dialog = format !== null && <WriteDownDialog {...props} format={format} onFormat={setFormat} onClose={() => { setFormat(null); }} />;
  return { items, dialog };
}

/** A small menu that writes mappings down. */
export function WriteDownMenu(props: WriteDownProps) {
  const { t } = useWords();
  const { items, dialog } = useWriteDown(props);
  const name = props.mapping === null ? undefined : t("mapping.export_of", { name: props.mapping });
  return (
    <>
      <Menu className="btn small" {...(name === undefined ? {} : { label: name })} button={<><Icon of={IconDownload} />{t("list.export")}</>} items={items.map((item) => ({ ...item, separated: false }))} />
      {dialog}
    </>
  );
}

/** What is on the screen as a file, and all mappings written down. */
export function MappingsExport({ reads, text }: { reads: readonly ClusterRead<Mappings>[]; text: string }) {
  const { cluster, view } = useSearch({ from: "/frame/mappings" });
  const told = useMemo(() => reads.flatMap((read) => read.told ?? []), [reads]);
  const listed = told.filter(({ mappings }) => mappings !== null);
  const { items, dialog } = useWriteDown({
    clusters: listed.map((one) => one.cluster), suggested: false, mapping: null, whole: told.every(({ read, scope }) => read === "ok" && scope === "proven"),
  });
  const filter = { cluster, q: view === undefined ? text.trim() : "" };
  const rows = useMemo(() => mappingCells(told.flatMap((one) => searchMappings(mappingRows(one), filter.q))), [told, filter.q]);
  if (listed.length === 0) return null;
  return (
    <>
      <ExportMenu
        name="mappings" columns={mappingCsv} rows={rows} json={({ cluster: of, mapping, cell }) => ({ cluster: of, ...mapping, cells: [cell] })}
        scope={listScope(missing(reads), filter)} more={items}
      />
      {dialog}
    </>
  );
}

/** The suggestions on the screen as a file, and written down. */
export function SuggestionsExport({ reads }: { reads: readonly ClusterRead<Schemas["Suggestions"]>[] }) {
  const { cluster } = useSearch({ from: "/frame/mappings" });
  const told = reads.flatMap((read) => read.told ?? []);
  const { items, dialog } = useWriteDown({
    clusters: told.map((one) => one.cluster), suggested: true, mapping: null, whole: told.every((one) => one.mapping_scope === "proven"),
  });
  const rows = told.flatMap((one) => one.mappings.map((suggestion) => ({ cluster: one.cluster, suggestion })));
  if (rows.length === 0) return null;
  const because = reads.flatMap((read) => {
    if (read.told === null) return [`${read.cluster}: not read`];
    const { nodes_unread: unread, mapping_scope: scope, mapping_scope_fault: fault } = read.told;
    return [
      ...unread.map((node) => `${read.cluster}/${node}: devices not read`),
      ...listIncomplete({ cluster: read.cluster, read: "ok", scope, scope_fault: fault }), ...vmsMissing(read.cluster, read.told.scopes),
    ];
  });
  return (
    <>
      <ExportMenu name="suggested-mappings" columns={suggestionCsv} rows={rows} json={({ cluster: of, suggestion }) => ({ cluster: of, ...suggestion })} scope={listScope(because, { cluster })} more={items} />
      {dialog}
    </>
  );
}

/** What the matrix does not rest on. */
function missing(reads: readonly ClusterRead<Mappings>[]): string[] {
  return reads.flatMap(({ cluster, told }) => (told === null ? [`${cluster}: not read`] : [...listIncomplete(told), ...vmsMissing(cluster, told.scopes)]));
}

function vmsMissing(cluster: string, scopes: Mappings["scopes"]): string[] {
  return incompleteBecause(scopeOfVMs(scopes.map((scope) => ({ cluster, node: scope.node, pending: false, busy: false, error: null, scope, vms: null })), true));
}
