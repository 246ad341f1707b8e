import { useCallback, useMemo, useState } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { useClusters } from "../../api/clusters";
import { desktopsFile, useDesktops, type Desktop } from "../../api/desktops";
import { useMay } from "../../api/session";
import { useCluster } from "../../components/cluster";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { Loaded, useRefresh } from "../../components/list";
import { SearchField } from "../../components/search";
import { Empty } from "../../components/states";
import { useTyping } from "../../components/typing";
import { matches } from "../../domain/search";
import { NoCluster } from "../clusters/none";
import { DesktopForm } from "./form";
import { ImportDialog } from "./import";
import { DesktopTable } from "./table";

/** The VMs that the operator's desktop service owns, each with the name it has there. */
export function DesktopsPage() {
  const clusters = useClusters();
  const cluster = useCluster();
  return cluster === null && clusters.data ? <NoCluster page="nav.desktops" /> : <Desktops key={cluster} cluster={cluster ?? ""} />;
}

function Desktops({ cluster }: { cluster: string }) {
  const { t } = useTranslation();
  const query = useDesktops(cluster);
  const mayChange = useMay("operator");
  const [doing, setDoing] = useState<"add" | "import" | null>(null);
  const close = () => { setDoing(null); };
  useRefresh("desktops", query.isFetching);
  return (
    <>
      <PageHead
        title={t("nav.desktops")}
        sub={query.data && !query.error ? `${cluster} · ${t("desktop.count", { count: query.data.desktops.length })}` : cluster}
        actions={cluster !== "" && (
          <>
            <a className="btn" href={desktopsFile(cluster)} download><Icon of={IconDownload} />{t("desktop.export")}</a>
            {mayChange && <button type="button" className="btn" onClick={() => { setDoing("import"); }}><Icon of={IconUpload} />{t("desktop.import")}</button>}
            {mayChange && <button type="button" className="btn" onClick={() => { setDoing("add"); }}><Icon of={IconPlus} />{t("desktop.add")}</button>}
          </>
        )}
      />
      <Loaded query={query}>
        {({ desktops, desktop_tag: tag }) => (
          <>
            {tag !== null && <p className="muted after-head">{t("desktop.tag_rule", { tag })}</p>}
            {desktops.length === 0
              ? <Empty title={t("desktop.empty")}><p>{t("desktop.empty_why")}</p></Empty>
              : <Found cluster={cluster} desktops={desktops} mayChange={mayChange} />}
          </>
        )}
      </Loaded>
      {doing === "add" && <DesktopForm cluster={cluster} onClose={close} />}
      {doing === "import" && <ImportDialog cluster={cluster} onClose={close} />}
    </>
  );
}

function Found({ cluster, desktops, mayChange }: { cluster: string; desktops: readonly Desktop[]; mayChange: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { q = "" } = useSearch({ from: "/frame" });
  const [text, type] = useTyping(q, useCallback((typed: string) => {
    void navigate({ to: ".", search: (old) => ({ ...old, q: typed || undefined }), replace: true, resetScroll: false });
  }, [navigate]));
  const rows = useMemo(() => desktops.filter((row) => matches(text, [String(row.vmid), row.name, row.note])), [desktops, text]);
  return (
    <>
      <div className="filters">
        <SearchField label={t("desktop.search")} value={text} onChange={type} />
      </div>
      {rows.length === 0 ? <Empty title={t("list.nothing_found", { text: text.trim() })} /> : <DesktopTable cluster={cluster} rows={rows} mayChange={mayChange} />}
    </>
  );
}
