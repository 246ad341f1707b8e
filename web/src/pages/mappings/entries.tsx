import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { useWords } from "../../i18n/words";
import { useNumber } from "../../components/number";
import { CardLabel } from "../../components/list";
import { SeveritySign, Sign } from "../../components/sign";
import { NotTold } from "../../components/states";
import { entryRows, faultIn, faultKinds, shortName, type Entry, type EntryRow, type MappingRow } from "../../domain/mapping";

/** The entries of a mapping: what each says, where the hardware differs, our check and that of Proxmox VE. */
export function Entries({ row: { cluster, mapping } }: { row: MappingRow }) {
  const { t } = useWords();
  const number = useNumber();
  const rows = entryRows(mapping);
  if (rows.length === 0) return <div className="empty"><p className="muted">{t("mapping.no_entries")}</p></div>;
  return (
    <div className="scrollx" tabIndex={0} role="region" aria-label={t("mapping.entries_of", { name: mapping.id })}>
      <table className="entries cards flow">
        <colgroup>
          <col style={{ width: 104 }} /><col style={{ width: 64 }} /><col style={{ width: 136 }} /><col /><col style={{ width: 136 }} />
          <col style={{ width: 104 }} /><col style={{ width: 136 }} /><col style={{ width: 160 }} /><col style={{ width: 160 }} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t("vm.node")}</th><th scope="col" className="r">{t("mapping.entry")}</th><th scope="col">{t("mapping.path")}</th>
            <th scope="col">{t("mapping.device")}</th><th scope="col">{t("mapping.ids")}</th><th scope="col">{t("mapping.group")}</th>
            <th scope="col">{t("mapping.subsystem")}</th><th scope="col">{t("mapping.our_check")}</th><th scope="col">{t("mapping.pve_check")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.entry.number} className={one.entry.faults.length > 0 ? "bad" : undefined}>
              <td className="mono">{one.cell.node}</td>
              <td className="num r"><CardLabel>{t("mapping.entry")}</CardLabel>{number(one.entry.number)}</td>
              <td><CardLabel>{t("mapping.path")}</CardLabel><div className="mono"><Path path={one.entry.path} /></div></td>
              <td><CardLabel>{t("mapping.device")}</CardLabel><div><Device entry={one.entry} cluster={cluster} node={one.cell.node} /></div></td>
              <td><CardLabel>{t("mapping.ids")}</CardLabel><div className="mono"><Value entry={one.entry} property="id" value={one.entry.id} /></div></td>
              <td><CardLabel>{t("mapping.group")}</CardLabel><div className="mono"><Value entry={one.entry} property="iommugroup" value={one.entry.iommugroup} /></div></td>
              <td><CardLabel>{t("mapping.subsystem")}</CardLabel><div className="mono"><Value entry={one.entry} property="subsystem-id" value={one.entry.subsystem_id} /></div></td>
              <td><CardLabel>{t("mapping.our_check")}</CardLabel><div><OurCheck entry={one.entry} /></div></td>
              <td><CardLabel>{t("mapping.pve_check")}</CardLabel><div><PVECheck row={one} /></div></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Several paths of one entry are all its functions together: each on a line. */
function Path({ path }: { path: string }) {
  const parts = path.split(";");
  return parts.map((part, at) => <span key={at} className="entrypath">{part}{at < parts.length - 1 && ";"}</span>);
}

function Device({ entry: { devices }, cluster, node }: { entry: Entry; cluster: string; node: string }) {
  const { t } = useWords();
  if (devices === null) return <NotTold>{t("mapping.why_unread")}</NotTold>;
  const first = devices[0];
  if (!first) return <span className="muted">–</span>;
  const gpus: string = "/gpus";
  const name = first.device_name === null ? (first.class_name ?? first.address) : shortName(first.device_name);
  return (
    <>
      <Link to={gpus} search={{ cluster, node, device: first.address }} title={first.device_name ?? undefined}>{name}</Link>
      {devices.length > 1 && <span className="muted num" title={devices.map(({ address, device_name: own }) => `${address} ${own ?? ""}`.trim()).join("\n")}> +{devices.length - 1}</span>}
    </>
  );
}

/** What an entry says of a property, and what it is where that differs. */
function Value({ entry, property, value }: { entry: Entry; property: string; value: string | null }): ReactNode {
  const { t } = useWords();
  const fault = faultIn(entry, property);
  if (!fault) return value ?? <span className="muted">–</span>;
  return (
    <>
      <b className="is-error">{fault.configured ?? t("mapping.not_set")}</b>{" "}
      <span className="muted isvalue">{fault.actual === null ? t("mapping.has_none") : t("mapping.is", { value: fault.actual })}</span>
    </>
  );
}

function OurCheck({ entry }: { entry: Entry }) {
  const { t } = useWords();
  const kinds = faultKinds(entry);
  if (kinds.length > 0) {
    return kinds.map(({ key, word, device }) => (
      <span key={key} className="v block"><SeveritySign severity="error" /><span>{t(`mapping.fault.${word}`)}{device !== null && <> <span className="mono">{device}</span></>}</span></span>
    ));
  }
  if (entry.untold) return <span className="v muted"><Sign name="s-notread" />{t("mapping.why_untold")}</span>;
  return <span className="v"><Sign name="c-ok" />{t("mapping.verdict.ok")}</span>;
}

function PVECheck({ row: { remark } }: { row: EntryRow }) {
  const { t } = useWords();
  switch (remark.kind) {
    case "not_asked": return <NotTold>{t("mapping.remark.not_asked")}</NotTold>;
    case "not_read": return <span className="v muted"><Sign name="s-notread" />{t("mapping.remark.not_read")}</span>;
    case "none": return <span className="v"><Sign name="c-ok" />{t("mapping.remark.none")}</span>;
    case "elsewhere": return <span className="v"><SeveritySign severity="warning" />{t("mapping.remark.elsewhere")}</span>;
    case "fault": {
      const { code, property } = remark.fault;
      return <span className="v"><SeveritySign severity="error" /><span>{t(`mapping.fault.${property === null ? code : `${code}.${property}`}`)}</span></span>;
    }
  }
}
