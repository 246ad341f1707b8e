import { useEffect, useId, useMemo, useRef } from "react";
import { IconX } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { FindingList } from "../../components/finding";
import { Icon } from "../../components/icon";
import { useNarrow } from "../../components/media";
import { useNumber } from "../../components/number";
import { ChangeMapping, DeleteMapping } from "../../components/plan-buttons";
import { mappingRows, shortName, type MappingRow, type Mappings } from "../../domain/mapping";
import { Entries } from "./entries";
import { WriteDownMenu } from "./export-menu";
import { PVEChecks } from "./pve";
import { Users } from "./users";

interface DetailProps {
  told: Mappings;
  id: string;
  onClose: () => void;
}

/** Everything about one mapping, below the matrix. Esc closes it. */
export function Detail({ told, id, onClose }: DetailProps) {
  const { t } = useWords();
  const title = useId();
  const place = useRef<HTMLElement>(null);
  useEscape(onClose);
  const narrow = useNarrow();
  useEffect(() => {
    // Cards leave it far below the one that was pressed.
    if (narrow) place.current?.scrollIntoView({ block: "start" });
  }, [narrow]);
  const row = useMemo(() => mappingRows(told).find(({ mapping }) => mapping.id === id), [told, id]);
  return (
    <section className="panel detail" aria-labelledby={title} ref={place}>
      <div className="dth">
        <h2 className="mono" id={title}>{id}</h2>
        {row && <About row={row} />}
        <span className="acts">
          {row && <WriteDownMenu clusters={[told.cluster]} suggested={false} mapping={id} whole={told.read === "ok" && told.scope === "proven"} />}
          {row && <ChangeMapping cluster={told.cluster} mapping={row.mapping} />}
          {row && <DeleteMapping cluster={told.cluster} id={id} />}
          <button type="button" className="btn small plain icon" aria-label={t("frame.close")} onClick={onClose}><Icon of={IconX} /></button>
        </span>
      </div>
      {row ? <Told row={row} told={told} /> : <NoSuch told={told} id={id} />}
    </section>
  );
}

function useEscape(then: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) then();
    };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, [then]);
}

function About({ row: { mapping } }: { row: MappingRow }) {
  const { t } = useWords();
  const words = [
    mapping.description, mapping.models.map(shortName).join(", "),
    t(mapping.mdev ? "mapping.mdev" : "mapping.not_mdev"), t(mapping.live_migration_capable ? "mapping.live" : "mapping.not_live"),
  ];
  return <span className="muted">{words.filter((word) => word !== null && word !== "").join(" · ")}</span>;
}

function Told({ row, told }: { row: MappingRow; told: Mappings }) {
  const { t } = useWords();
  const number = useNumber();
  const findings = useMemo(() => row.findings.map((finding) => ({ cluster: row.cluster, ...finding })), [row]);
  return (
    <>
      <Entries row={row} />
      <PVEChecks mapping={row.mapping} />
      <div className="split">
        <Users row={row} complete={told.scopes.every((scope) => scope.checked_vms === scope.visible_vms && scope.scope === "proven")} />
        <div>
          <h3>{t("nav.findings")} <span className="label num">{number(findings.length)}</span></h3>
          {findings.length > 0 ? <FindingList findings={findings} narrow /> : <p className="muted">{t("mapping.no_findings")}</p>}
        </div>
      </div>
    </>
  );
}

/** The name of the address is of no mapping that is shown: whether there is one depends on how much is. */
function NoSuch({ told, id }: { told: Mappings; id: string }) {
  const { t } = useWords();
  const whole = told.mappings !== null && told.read === "ok" && told.scope === "proven";
  const findings = told.findings.filter(({ subject }) => subject.mapping === id).map((finding) => ({ cluster: told.cluster, ...finding }));
  return (
    <>
      <div className="empty"><b>{t(whole ? "mapping.no_such" : "mapping.not_visible", { name: id })}</b>{whole && <p>{t("mapping.case")}</p>}</div>
      {findings.length > 0 && <FindingList findings={findings} narrow />}
    </>
  );
}
