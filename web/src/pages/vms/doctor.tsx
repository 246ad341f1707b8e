import { useWords } from "../../i18n/words";
import { useVMDiagnosis } from "../../api/placement";
import { Checks, useCheckCounts } from "../../components/checks";
import { SectionHead } from "../../components/head";
import { Loaded } from "../../components/list";

/** The checks to make when the VM does not start, in their order. */
export function VMDoctor({ cluster, vmid }: { cluster: string; vmid: number }) {
  const { t } = useWords();
  const counts = useCheckCounts();
  const query = useVMDiagnosis(cluster, vmid);
  return (
    <>
      <SectionHead title={t("doctor.title")} sub={query.data && !query.error ? counts(query.data) : undefined} />
      <Loaded query={query} rows={6}>{(told) => <Checks told={told} />}</Loaded>
    </>
  );
}
