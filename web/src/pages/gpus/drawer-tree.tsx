import { useNavigate } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useAllClusters } from "../../components/cluster";
import { useNumber } from "../../components/number";
import { lookOf, Sign } from "../../components/sign";
import { NotTold } from "../../components/states";
import { groupByVM, type Answer, type AnswerDevice } from "../../domain/inventory";
import { mappingsOf } from "../../domain/marks";
import { writeDevice } from "../../domain/select";
import { familyOf } from "../../domain/family";

/** The physical function and its virtual ones, each with its state and who names it. */
export function FunctionTree({ device, answer }: { device: AnswerDevice; answer: Answer | null }) {
  const { t } = useWords();
  const family = familyOf(device, answer?.devices ?? null);
  if (family.virtual === null) {
    return device.mdev_capable === true || device.physical_function !== null
      ? <div className="sec"><h3>{t("gpu.functions")}</h3><NotTold>{t("gpu.vf_untold")}</NotTold></div>
      : null;
  }
  if (family.virtual.length === 0) return null;
  const used = family.virtual.filter(({ told }) => (told?.references.length ?? 0) > 0).length;
  return (
    <div className="sec">
      <h3>{t("gpu.functions")} <span className="label num">{t("gpu.mark.vf", { count: family.virtual.length, used })}</span></h3>
      <ul className="tree">
        <Line address={family.physical.address} told={family.physical.told} answer={answer} open={device.address} physical />
        {family.virtual.map(({ address, told }) => <Line key={address} address={address} told={told} answer={answer} open={device.address} />)}
      </ul>
    </div>
  );
}

interface LineProps {
  address: string;
  /** undefined: the list does not have it. */
  told: AnswerDevice | undefined;
  answer: Answer | null;
  /** The one in the drawer. */
  open: string;
  physical?: boolean;
}

function Line({ address, told, answer, open, physical = false }: LineProps) {
  const { t } = useWords();
  const number = useNumber();
  const navigate = useNavigate({ from: "/gpus" });
  const all = useAllClusters();
  const look = told && lookOf(told.state);
  const [first, ...more] = groupByVM(told?.references ?? []);
  const mapping = mappingsOf(told?.references ?? [])[0];
  const go = () => {
    if (answer) void navigate({ search: (old) => ({ ...old, device: writeDevice({ cluster: answer.cluster, node: answer.node, address }, all, old.node) }), resetScroll: false });
  };
  return (
    <li className={physical ? undefined : "in"}>
      {look ? <span className={`vmsign ${look.look}`}><Sign name={look.sign} label={t(`state.${told.state}`)} /></span> : <span />}
      {address === open ? <span className="mono strong">{address}</span> : <button type="button" className="mono linklike" onClick={go}>{address}</button>}
      <span className="cutline">
        {physical && <>PF </>}
        {first ? <><span className="mono">{first.vmid}</span> {first.name}{more.length > 0 && <span className="muted num"> +{number(more.length)}</span>}</> : told && <span className="muted">{t(`state.${told.state}`)}</span>}
      </span>
      {mapping === undefined ? <span /> : <span className="mark"><Sign name="m-mapping" /><span className="mono">{mapping}</span></span>}
    </li>
  );
}
