import { useWords } from "../i18n/words";
import type { MoveGroup } from "../domain/placing";
import { useList } from "./words";

/** A move to some nodes in words, and why. */
export function MoveText({ group: { move, nodes, noStart } }: { group: MoveGroup }) {
  const { t } = useWords();
  const list = useList();
  const why = move.code === null ? "" : t(`placement.move.${move.code}`, { count: move.slots.length, slots: list(move.slots), mapping: move.mapping ?? "" });
  return (
    <>
      <b className="mono">{list(nodes)}</b>{t("placement.colon")}
      {why === "" ? t("placement.move_plain", { move: t(`placement.moves.${move.verdict}`) }) : t("placement.move_why", { move: t(`placement.moves.${move.verdict}`), why })}
      {move.ha === true && <> {t("placement.ha_moves")}</>}
      {noStart.length > 0 && move.verdict !== "blocked" && <> {t("placement.moved_no_start", { nodes: list(noStart) })}</>}
    </>
  );
}
