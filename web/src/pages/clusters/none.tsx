import { Link } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useMay } from "../../api/session";
import { PageHead } from "../../components/head";
import { Empty } from "../../components/states";

/** Stands on a page that needs a cluster while none is registered. */
export function NoCluster({ page }: { page: string }) {
  const { t } = useWords();
  const mayAdd = useMay("admin");
  return (
    <>
      <PageHead title={t(page)} />
      <Empty title={t("cluster.empty")} action={mayAdd && <Link to="/clusters" className="btn">{t("nav.clusters")}</Link>}>
        <p>{mayAdd ? t("cluster.empty_why") : t("cluster.empty_ask")}</p>
      </Empty>
    </>
  );
}
