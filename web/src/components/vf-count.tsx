import { useTranslation } from "react-i18next";

/** Beside a number of cards: how many virtual functions there are besides. Nothing for none. */
export function VFCount({ count }: { count: number }) {
  const { t } = useTranslation();
  return count === 0 ? null : <>{" "}<span className="muted label num nw" title={t("gpu.more_vf_title", { count })}>{t("gpu.more_vf", { count })}</span></>;
}
