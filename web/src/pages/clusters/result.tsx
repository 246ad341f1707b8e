import { useWords } from "../../i18n/words";
import type { ClusterTest } from "../../api/clusters";
import { CopyButton, Raw } from "../../components/copy";
import { When } from "../../components/list";
import { Sign } from "../../components/sign";

interface TestResultProps {
  test: ClusterTest;
  /** Puts the fingerprint into the form; without, there is no form. */
  onTrust?: (fingerprint: string) => void;
}

/** What a test of a connection found out, step by step, and what to do about it. */
export function TestResult({ test, onTrust }: TestResultProps) {
  const { t } = useWords();
  const good = test.problem === null;
  return (
    <div className="result" role="status">
      <div className="lead">
        {good ? <Sign name="c-ok" /> : <span className="is-error"><Sign name="v-error" label={t("severity.error")} /></span>}
        {good ? <p>{test.token === null ? t("cluster.reached") : t("cluster.works")}</p> : <p lang="en">{test.problem}</p>}
      </div>
      <dl className="kv">
        {test.version !== null && <><dt>Proxmox VE</dt><dd className="num">{test.version}</dd></>}
        {test.certificate && <Certificate of={test.certificate} {...(onTrust ? { onTrust } : {})} />}
        {test.token && <><dt>{t("cluster.token")}</dt><dd><span className="mono">{test.token.user}</span> · {test.token.ok ? t("cluster.token_ok") : t("cluster.token_bad")}</dd></>}
        {test.rights && <><dt>{t("cluster.scope")}</dt><dd>{t(`cluster.scope_${test.rights.scope}`)}</dd></>}
      </dl>
      {test.rights && test.rights.missing.length > 0 && <Missing rights={test.rights} />}
    </div>
  );
}

function Certificate({ of, onTrust }: { of: NonNullable<ClusterTest["certificate"]>; onTrust?: (fingerprint: string) => void }) {
  const { t } = useWords();
  return (
    <>
      <dt>{t("cluster.certificate")}</dt>
      <dd>
        <div>{of.trusted ? t("cluster.trusted") : <b className="strong">{t("cluster.not_trusted")}</b>} · <span className="muted">{of.subject}</span></div>
        {of.not_after !== null && <div className="muted">{t("cluster.valid_until")} <When at={of.not_after} never="" /></div>}
        {of.reason !== null && <p lang="en">{of.reason}</p>}
        <Raw text={of.fingerprint} label={t("cluster.copy_fingerprint")} />
        {!of.trusted && onTrust && (
          <div className="acts"><button type="button" className="btn" onClick={() => { onTrust(of.fingerprint); }}>{t("cluster.trust_this")}</button></div>
        )}
      </dd>
    </>
  );
}

function Missing({ rights }: { rights: NonNullable<ClusterTest["rights"]> }) {
  const { t } = useWords();
  return (
    <div>
      <b className="strong">{t("cluster.missing", { count: rights.missing.length })}</b>
      <ul>
        {rights.missing.map((one) => (
          <li key={`${one.privilege} ${one.path}`}><span className="mono">{one.privilege}</span> <span className="muted">{one.path}</span> <span lang="en">{one.cost}</span></li>
        ))}
      </ul>
      {rights.commands.length > 0 && <p className="label">{t("cluster.commands")} <CopyButton text={rights.commands.join("\n")}>{t("list.copy_all")}</CopyButton></p>}
      {rights.commands.map((command) => <Raw key={command} text={command} />)}
    </div>
  );
}
