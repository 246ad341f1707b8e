import { useWords } from "../i18n/words";

/** Beside a number of cards: how many virtual functions there are besides. Nothing for none. */
export function VFCount({ count }: { count: number }) {
  const { t } = useWords();
  return count === 0 ? null : <>{" "}<span className="muted label num nw" title={t("gpu.more_vf_title", { count })}>{t("gpu.more_vf", { count })}</span></>;
}
