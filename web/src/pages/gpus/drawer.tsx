import { Link } from "@tanstack/react-router";
import { IconStethoscope } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import type { Schemas } from "../../api/client";
import { useDevice } from "../../api/inventory";
import { CopyButton } from "../../components/copy";
import { Drawer } from "../../components/drawer";
import { Icon } from "../../components/icon";
import type { Devices } from "../../components/inventory";
import { StateWord } from "../../components/sign";
import { Bar, Failed } from "../../components/states";
import type { AnswerDevice } from "../../domain/inventory";
import { classKey, deviceName, modelName } from "../../domain/model";
import type { DeviceSelection } from "../../domain/select";
import { DeviceFindings } from "./drawer-findings";
import { Identity, TakesAlong } from "./drawer-hardware";
import { References } from "./drawer-references";
import { StateSentence, ThreeLines } from "./drawer-state";
import { FunctionTree } from "./drawer-tree";

export type DeviceDetail = Schemas["DeviceDetail"];

interface DeviceDrawerProps {
  selection: DeviceSelection;
  devices: Devices;
  onClose: () => void;
}

const doctor: string = "/doctor";

/** All that is known about one function. What the list told stands at once; the rest when it has been read. */
export function DeviceDrawer({ selection, devices, onClose }: DeviceDrawerProps) {
  const { t } = useWords();
  const { cluster, node, address } = selection;
  const read = useDevice(cluster, node, address);
  const view = devices.nodes.find((one) => one.cluster === cluster && one.node === node);
  const listed = view?.answer?.devices?.find((one) => one.address === address);
  const detail = read.isError ? undefined : read.data;
  const device: AnswerDevice | undefined = detail ?? (read.isError ? undefined : listed);
  const key = device ? classKey(device.class) : null;
  const cls = key === null ? device?.class_name : t(key);
  return (
    <Drawer
      title={device ? modelName(device) : <span className="mono">{address}</span>}
      sub={<><span className="mono">{address}</span> · <span className="mono">{node}</span>{cls != null && <> · {cls}</>}</>}
      onClose={onClose}
    >
      {read.isError && <div className="sec"><Failed error={read.error} onRetry={() => { void read.refetch(); }} busy={read.isFetching} /></div>}
      {!read.isError && !device && <SkeletonSection />}
      {device && (
        <>
          <div className="sec">
            <StateWord state={device.state} />
            <StateSentence device={device} detail={detail} node={node} />
            <ThreeLines device={device} detail={detail} node={node} />
            <div className="secbtns">
              <CopyButton text={address}>{t("gpu.copy_address")}</CopyButton>
              <CopyButton text={`${deviceName(device)} ${address} ${node}`}>{t("gpu.copy_name")}</CopyButton>
              <Link className="btn small" to={doctor} search={{ cluster, node, device: address }}><Icon of={IconStethoscope} />{t("doctor.title")}</Link>
              {detail && <CopyButton text={JSON.stringify(detail, null, 2)}>{t("gpu.copy_json")}</CopyButton>}
            </div>
          </div>
          <References cluster={cluster} references={detail?.references ?? device.references} />
          <DeviceFindings cluster={cluster} node={node} address={address} findings={devices.findings} waiting={!devices.settled} />
          {detail ? <TakesAlong detail={detail} /> : <SkeletonSection />}
          <FunctionTree device={device} answer={view?.answer ?? null} />
          <Identity device={device} detail={detail} />
        </>
      )}
    </Drawer>
  );
}

function SkeletonSection() {
  return <div className="sec" aria-hidden><p><Bar width={320} /></p><p><Bar width={240} /></p><p><Bar width={280} /></p></div>;
}
