import type { ReactNode } from "react";
import { useWords } from "../../i18n/words";
import type { Placement } from "../../api/placement";
import { SectionHead } from "../../components/head";
import { MoveText } from "../../components/placing-move";
import { usePlacingText } from "../../components/placing-text";
import { Sign } from "../../components/sign";
import type { SignName } from "../../components/signs";
import { VerdictWord } from "../../components/verdict";
import { useList } from "../../components/words";
import { answerOf, movesOf, nodesWith, type MoveAnswer, type MoveKind, type NodeVerdict } from "../../domain/placing";

/** Three different questions, none of which answers another. */
export function StartAndMove({ told }: { told: Placement }) {
  const { t } = useWords();
  const here = told.nodes.find((node) => node.here);
  return (
    <>
      <SectionHead title={t("placement.questions")} sub={t("placement.questions_sub")} />
      <dl className="panel qs">
        <div className="q">
          <dt>{t("placement.start_here", { node: told.node })}</dt>
          <dd>{here ? <StartHere told={told} here={here} /> : t("placement.no_node", { node: told.node })}</dd>
        </div>
        <MoveQuestion told={told} kind="move_powered_off" title={t("placement.move_off")} note={t("placement.move_off_note")} />
        <MoveQuestion told={told} kind="move_running" title={t("placement.move_on")} note={null} />
      </dl>
    </>
  );
}

function StartHere({ told, here }: { told: Placement; here: NodeVerdict }) {
  const { t } = useWords();
  const list = useList();
  const decides = here.reasons.find((reason) => reason.effect === "refuses") ?? here.reasons.find((reason) => reason.effect === "open");
  const say = usePlacingText("placement");
  const said = decides ? say(decides) : null;
  const elsewhere = nodesWith(told.nodes.filter((node) => !node.here), "can_start");
  return (
    <>
      <VerdictWord verdict={here.verdict} />
      {told.status === "running" && <p className="muted">{t("placement.runs_now")}</p>}
      {said !== null && <p lang={said.lang}>{said.text}</p>}
      {here.verdict !== "can_start" && elsewhere.length > 0 && <p>{t("placement.elsewhere", { nodes: list(elsewhere) })}</p>}
    </>
  );
}

const looks: Record<MoveAnswer, readonly [SignName, string]> = {
  yes: ["c-ok", "yes"],
  unverified: ["c-unknown", "unk"],
  root: ["c-no", "no"],
  no: ["c-no", "no"],
  unknown: ["c-unknown", "unk"],
  off: ["c-missing", "unk"],
  nowhere: ["c-missing", "unk"],
};

function MoveQuestion({ told, kind, title, note }: { told: Placement; kind: MoveKind; title: string; note: ReactNode }) {
  const { t } = useWords();
  const list = useList();
  const groups = movesOf(told.nodes, kind);
  const answer = answerOf(groups);
  const [sign, look] = looks[answer];
  const to = answer === "yes" || answer === "unverified" ? groups.filter(({ move }) => move.verdict === groups[0]?.move.verdict).flatMap((group) => group.nodes) : [];
  return (
    <div className="q">
      <dt>{title}</dt>
      <dd>
        <span className={`v verdict ${look}`}><Sign name={sign} />{t(`placement.answer.${answer}`, { nodes: list(to) })}</span>
        {answer !== "off" && answer !== "nowhere" && groups.map((group) => <p key={group.nodes[0]}><MoveText group={group} /></p>)}
        {answer === "yes" && note !== null && <p className="muted">{note}</p>}
      </dd>
    </div>
  );
}
