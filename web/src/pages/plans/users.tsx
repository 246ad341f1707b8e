import { useWords } from "../../i18n/words";
import { VMState } from "../../components/vm";
import type { Plan } from "../../domain/plan";
import { Phase } from "../vms/line";

/** The lines that refer to the mapping which changes. Links would lead away from what was begun. */
export function Users({ plan: { users, snapshots } }: { plan: Plan }) {
  const { t } = useWords();
  if (users.length + snapshots.length === 0) return null;
  return (
    <section className="planusers" aria-label={t("plan.users")}>
      <h3>{t("plan.users")}</h3>
      <ul>
        {users.map((user) => (
          <li key={`${user.node} ${user.vmid} ${user.slot} ${user.phase}`}>
            <span><span className="mono">{user.vmid}</span> {user.name}</span>
            <span className="mono">{user.slot}</span><span className="mono muted">{user.node}</span><VMState vm={user} /><Phase phase={user.phase} />
          </li>
        ))}
        {snapshots.map((saved) => (
          <li key={`${saved.node} ${saved.vmid} ${saved.snapshot} ${saved.slot}`}>
            <span><span className="mono">{saved.vmid}</span> {saved.name}</span>
            <span className="mono">{saved.slot}</span><span className="mono muted">{saved.node}</span><span>{t("plan.snapshot", { name: saved.snapshot })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
