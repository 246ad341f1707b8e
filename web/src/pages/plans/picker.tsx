import { useState } from "react";
import { IconPlus } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useNodeDevices, useNodeNames } from "../../api/plans";
import { Check } from "../../components/form";
import { Select } from "../../components/field";
import { Icon } from "../../components/icon";
import { Bar, Failed, NotTold } from "../../components/states";
import { entryFor, hasCompanions } from "../../domain/plan-form";
import { shortModel } from "../../domain/model";

interface PickerProps {
  cluster: string;
  onEntry: (entry: string) => void;
}

/** Writes an entry for a device of a node, so that nobody has to type what Proxmox VE compares. */
export function DevicePicker({ cluster, onEntry }: PickerProps) {
  const { t } = useWords();
  const nodes = useNodeNames(cluster);
  const [chosen, setChosen] = useState<string | null>(null);
  if (nodes.error) return <Failed error={nodes.error} busy={nodes.isFetching} onRetry={() => { void nodes.refetch(); }} />;
  const names = nodes.data?.nodes?.map(({ name }) => name);
  const node = chosen ?? names?.[0];
  return (
    <fieldset className="picker">
      <legend>{t("plan.pick")}</legend>
      {nodes.data && !names && <NotTold>{t("plan.nodes_unread")}</NotTold>}
      {node === undefined
        ? !nodes.data && <Bar width={200} />
        : (
          <>
            <Select label={t("vm.node")} value={node} choices={(names ?? []).map((name) => ({ value: name, label: name }))} onChange={setChosen} />
            <Devices key={node} cluster={cluster} node={node} onEntry={onEntry} />
          </>
        )}
    </fieldset>
  );
}

function Devices({ cluster, node, onEntry }: PickerProps & { node: string }) {
  const { t } = useWords();
  const query = useNodeDevices(cluster, node);
  const [address, setAddress] = useState<string | null>(null);
  const [alone, setAlone] = useState(false);
  if (query.error) return <Failed error={query.error} busy={query.isFetching} onRetry={() => { void query.refetch(); }} />;
  if (!query.data) return <Bar width={280} />;
  const { devices } = query.data;
  if (devices === null) return <NotTold>{t("plan.devices_unread", { node })}</NotTold>;
  // Graphics cards and accelerators are what mappings are for; the rest comes after them.
  const offered = [...devices.filter(({ kind }) => kind !== "other"), ...devices.filter(({ kind }) => kind === "other")];
  const device = offered.find((one) => one.address === address) ?? offered[0];
  if (!device) return <span className="muted">{t("plan.no_devices", { node })}</span>;
  const companions = hasCompanions(device, devices);
  return (
    <>
      <Select label={t("mapping.device")} value={device.address} choices={offered.map((one) => ({ value: one.address, label: `${one.address} ${shortModel(one)}` }))} onChange={setAddress} />
      <button type="button" className="btn" onClick={() => { onEntry(entryFor(node, device, companions && !alone)); }}><Icon of={IconPlus} />{t("plan.add_entry")}</button>
      {companions && <Check label={t("plan.function_alone")} hint={t("plan.function_alone_hint")} checked={alone} onChange={setAlone} />}
    </>
  );
}
