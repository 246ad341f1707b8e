import { useWords } from "../../i18n/words";
import { useVM } from "../../api/vms";
import { FindingList } from "../../components/finding";
import { SectionHead } from "../../components/head";
import { Loaded } from "../../components/list";
import { useNumber } from "../../components/number";

/** The findings about a VM and about what its lines name. They come after the rest. */
export function VMFindings({ cluster, vmid, read }: { cluster: string; vmid: number; /** Its configuration was read. */ read: boolean }) {
  const { t } = useWords();
  const number = useNumber();
  const query = useVM(cluster, vmid, true);
  const findings = query.error ? undefined : query.data?.findings;
  return (
    <div>
      <SectionHead title={t("nav.findings")} sub={findings && (read || findings.length > 0) ? number(findings.length) : undefined} />
      <Loaded query={query} rows={3}>
        {() => findings && findings.length > 0
          ? <FindingList findings={findings.map((finding) => ({ ...finding, cluster }))} narrow />
          : <div className="panel"><div className="empty"><p className="muted">{!findings ? t("vm.findings_not_read") : read ? t("vm.no_findings_here") : t("vm.config_not_read_long")}</p></div></div>}
      </Loaded>
    </div>
  );
}
