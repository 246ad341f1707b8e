import { useCallback, useState } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { IconPlus, IconUpload } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useDesktops, type DesktopList } from "../../api/desktops";
import { useMay } from "../../api/session";
import { useClusterNames } from "../../components/clusters";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { LoadingRows, useRefresh } from "../../components/list";
import { SearchField } from "../../components/search";
import { Empty, Failed } from "../../components/states";
import { useTyping } from "../../components/typing";
import { filterDesktops, rowsOfDesktops, tagRules } from "../../domain/desktop";
import { NoCluster } from "../clusters/none";
import { DesktopExport } from "./export";
import { DesktopForm } from "./form";
import { ImportDialog } from "./import";
import { DesktopTable } from "./table";

const none: readonly string[] = [];

/** The VMs that the operator's desktop service owns, each with the name it has there. */
export function DesktopsPage() {
  const clusters = useClusterNames();
  if (clusters?.length === 0) return <NoCluster page="nav.desktops" />;
  return <Desktops clusters={clusters ?? none} />;
}

function Desktops({ clusters }: { clusters: readonly string[] }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const { q = "" } = useSearch({ from: "/frame" });
  const lists = useDesktops(clusters);
  const mayChange = useMay("operator");
  const rows = rowsOfDesktops(lists);
  const [text, type] = useTyping(q, useCallback((typed: string) => {
    void navigate({ to: ".", search: (old) => ({ ...old, q: typed || undefined }), replace: true, resetScroll: false });
  }, [navigate]));
  const shown = filterDesktops(rows, text);
  const read = lists.filter((list) => list.told !== null).length;
  useRefresh("desktops", lists.some((list) => list.busy));
  const where = clusters.join(", ");
  return (
    <>
      <PageHead
        title={t("nav.desktops")}
        sub={read > 0 ? `${where} · ${t("desktop.count", { count: rows.length })}` : where}
        actions={clusters.length > 0 && <><DesktopExport lists={lists} rows={shown} q={text.trim()} />{mayChange && <Changes clusters={clusters} />}</>}
      />
      {lists.map((list) => list.error !== null && <Failed key={list.cluster} of={lists.length > 1 ? list.cluster : undefined} error={list.error} onRetry={list.retry} busy={list.busy} />)}
      <TagRules lists={lists} several={clusters.length > 1} />
      {rows.length > 0 && (
        <div className="filters">
          <SearchField label={t("desktop.search")} value={text} onChange={type} />
        </div>
      )}
      {shown.length > 0 && <DesktopTable rows={shown} several={clusters.length > 1} mayChange={mayChange} />}
      {rows.length > 0 && shown.length === 0 && <Empty title={t("list.nothing_found", { text: text.trim() })} />}
      {(lists.length === 0 || lists.some((list) => list.told === null && list.error === null)) && <LoadingRows rows={rows.length > 0 ? 1 : 4} />}
      {rows.length === 0 && read > 0 && read === lists.length && <Empty title={t("desktop.empty")}><p>{t("desktop.empty_why")}</p></Empty>}
    </>
  );
}

/** The rule of each cluster by which further VMs are managed. */
function TagRules({ lists, several }: { lists: readonly DesktopList[]; several: boolean }) {
  const { t } = useWords();
  return (
    <>
      {tagRules(lists).map(({ tag, clusters }) => (
        <p key={tag} className="muted after-head">{several && <>{clusters.join(", ")}: </>}{t("desktop.tag_rule", { tag })}</p>
      ))}
    </>
  );
}

function Changes({ clusters }: { clusters: readonly string[] }) {
  const { t } = useWords();
  const [doing, setDoing] = useState<"add" | "import" | null>(null);
  const close = () => { setDoing(null); };
  return (
    <>
      <button type="button" className="btn" onClick={() => { setDoing("import"); }}><Icon of={IconUpload} />{t("desktop.import")}</button>
      <button type="button" className="btn" onClick={() => { setDoing("add"); }}><Icon of={IconPlus} />{t("desktop.add")}</button>
      {doing === "add" && <DesktopForm clusters={clusters} onClose={close} />}
      {doing === "import" && <ImportDialog clusters={clusters} onClose={close} />}
    </>
  );
}
