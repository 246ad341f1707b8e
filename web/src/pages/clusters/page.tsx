import { useState } from "react";
import { IconPlus } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useClusters } from "../../api/clusters";
import { useMay } from "../../api/session";
import { PageHead } from "../../components/head";
import { Icon } from "../../components/icon";
import { Loaded, useRefresh } from "../../components/list";
import { Empty } from "../../components/states";
import { ClusterForm } from "./form";
import { ClusterTable } from "./table";

/** The clusters that this server reads, and how it reaches them. */
export function ClustersPage() {
  const { t } = useWords();
  const query = useClusters();
  const mayChange = useMay("admin");
  const [adding, setAdding] = useState(false);
  useRefresh("clusters", query.isFetching);
  return (
    <>
      <PageHead
        title={t("nav.clusters")}
        sub={query.data && !query.error ? t("cluster.count", { count: query.data.length }) : undefined}
        actions={mayChange && <button type="button" className="btn" onClick={() => { setAdding(true); }}><Icon of={IconPlus} />{t("cluster.add")}</button>}
      />
      <Loaded query={query}>
        {(rows) => rows.length === 0
          ? <Empty title={t("cluster.empty")}><p>{mayChange ? t("cluster.empty_why") : t("cluster.empty_ask")}</p></Empty>
          : <ClusterTable rows={rows} mayChange={mayChange} />}
      </Loaded>
      {adding && <ClusterForm onClose={() => { setAdding(false); }} />}
    </>
  );
}
