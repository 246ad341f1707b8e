import { useWords } from "../../i18n/words";
import { useNumber } from "../../components/number";
import { NotTold } from "../../components/states";
import { VMLink } from "../../components/vm";
import type { Mapping, MappingRow } from "../../domain/mapping";
import { Phase } from "../vms/line";
import { VMStatus } from "../vms/status";

interface UsersProps {
  row: MappingRow;
  /** All VMs were visible and read: what is not here is not there. */
  complete: boolean;
}

/** Who names a mapping: lines of VMs and templates, and of snapshots. */
export function Users({ row: { cluster, mapping }, complete }: UsersProps) {
  const { t } = useWords();
  const number = useNumber();
  return (
    <div>
      <h3>{t("mapping.used_by")} <span className="label num">{number(mapping.vms)}</span></h3>
      {mapping.users.length > 0 ? <UserTable cluster={cluster} users={mapping.users} /> : <p className="muted">{t("mapping.unused")}</p>}
      {!complete && <p className="label after"><NotTold>{t("mapping.users_short")}</NotTold></p>}
      <Snapshots cluster={cluster} snapshots={mapping.snapshots} />
    </div>
  );
}

function UserTable({ cluster, users }: { cluster: string; users: Mapping["users"] }) {
  const { t } = useWords();
  return (
    <table className="mini cards flow">
      <colgroup><col style={{ width: 56 }} /><col /><col style={{ width: 88 }} /><col style={{ width: 88 }} /><col style={{ width: 176 }} /></colgroup>
      <thead>
        <tr><th scope="col">{t("vm.vm")}</th><th scope="col">{t("mapping.vm_name")}</th><th scope="col">{t("vm.slot")}</th><th scope="col">{t("vm.node")}</th><th scope="col">{t("mapping.state")}</th></tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={`${user.node} ${user.vmid} ${user.slot} ${user.phase}`}>
            <td className="mono">{user.vmid}</td>
            <td><VMLink cluster={cluster} vmid={user.vmid} name={user.name} /></td>
            <td><span className="mono">{user.slot}</span>{user.mdev_type !== null && <div className="label mono">{user.mdev_type}</div>}</td>
            <td className="mono">{user.node}</td>
            <td><UserState user={user} /></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function UserState({ user }: { user: Mapping["users"][number] }) {
  const { t } = useWords();
  return (
    <div className="userstate">
      <VMStatus vm={user} />
      {!user.template && user.starts_by_itself === true && <span>{t("mapping.starts")}</span>}
      {!user.template && user.starts_by_itself === null && <NotTold>{t("mapping.starts_untold")}</NotTold>}
      <Phase phase={user.phase} />
    </div>
  );
}

/** Snapshots bring their lines back at a rollback. */
function Snapshots({ cluster, snapshots }: { cluster: string; snapshots: Mapping["snapshots"] }) {
  const { t } = useWords();
  if (snapshots === null) return <p className="label after"><NotTold>{t("mapping.snapshots_unread")}</NotTold></p>;
  if (snapshots.length === 0) return <p className="label after">{t("mapping.snapshots_none")}</p>;
  return (
    <>
      <p className="label after">{t("mapping.snapshots")}</p>
      <ul>
        {snapshots.map((saved) => (
          <li key={`${saved.node} ${saved.vmid} ${saved.snapshot} ${saved.slot}`}>
            VM <VMLink cluster={cluster} vmid={saved.vmid} name={null} /> · <span>{saved.snapshot}</span> · <span className="mono">{saved.slot}</span> · <span className="mono">{saved.node}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
