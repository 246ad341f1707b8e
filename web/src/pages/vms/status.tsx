import { useTranslation } from "react-i18next";
import { Sign } from "../../components/sign";
import type { VM } from "../../domain/vm";

/** What a VM does now, with its sign. */
export function VMStatus({ vm }: { vm: Pick<VM, "status" | "template"> }) {
  const { t } = useTranslation();
  if (vm.template) return <span className="vmstatus"><Sign name="m-template" />{t("vm.template")}</span>;
  const sign = (["running", "stopped"] as const).find((status) => status === vm.status);
  return <span className="vmstatus"><Sign name={sign === undefined ? "m-nottold" : `m-${sign}`} />{t(`vm.status.${vm.status}`)}</span>;
}
