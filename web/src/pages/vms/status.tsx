import { useWords } from "../../i18n/words";
import { Sign } from "../../components/sign";
import type { VM } from "../../domain/vm";

/** What a VM does now, with its sign. */
export function VMStatus({ vm }: { vm: Pick<VM, "status" | "template"> }) {
  const { t } = useWords();
  if (vm.template) return <span className="vmstatus"><Sign name="m-template" />{t("vm.template")}</span>;
  const sign = (["running", "stopped"] as const).find((status) => status === vm.status);
  return <span className="vmstatus"><Sign name={sign === undefined ? "m-nottold" : `m-${sign}`} />{t(`vm.status.${vm.status}`)}</span>;
}
