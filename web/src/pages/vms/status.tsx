import { useTranslation } from "react-i18next";
import { Sign } from "../../components/sign";
import type { VM } from "../../domain/vm";

/** What a VM does now, with its sign. */
export function VMStatus({ vm }: { vm: Pick<VM, "status" | "template"> }) {
  const { t } = useTranslation();
  if (vm.template) return <span className="vmstatus"><Sign name="m-template" />{t("vm.template")}</span>;
  const signs = { running: "m-running", stopped: "m-stopped", unknown: "m-nottold" } as const;
  return <span className="vmstatus"><Sign name={signs[vm.status]} />{t(`vm.status_${vm.status}`)}</span>;
}
