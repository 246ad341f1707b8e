import { useState } from "react";
import { IconPlugConnected } from "@tabler/icons-react";
import { useWords } from "../../i18n/words";
import { useAddCluster, useTestConnection, useUpdateCluster, type Cluster } from "../../api/clusters";
import { Check, FormDialog, TextArea } from "../../components/form";
import { Field } from "../../components/field";
import { Icon } from "../../components/icon";
import { fieldFaults } from "../../components/problem";
import { Failed } from "../../components/states";
import { clusterOf, draftOf, emptyDraft, limitNames, testOf, withFingerprint, type ClusterDraft } from "../../domain/cluster";
import { faultAt } from "../../domain/faults";
import { TestResult } from "./result";

interface PartProps {
  draft: ClusterDraft;
  set: (part: Partial<ClusterDraft>) => void;
  fault: (field: string) => string | undefined;
}

/** Registers a cluster, or changes the one that is given. The secret goes in and never comes out. */
export function ClusterForm({ of, onClose }: { of?: Cluster; onClose: () => void }) {
  const { t } = useWords();
  const add = useAddCluster();
  const update = useUpdateCluster();
  const [draft, setDraft] = useState(() => (of ? draftOf(of) : emptyDraft));
  const { error, isPending } = of ? update : add;
  const faults = fieldFaults(error);
  const part: PartProps = {
    draft,
    set: (some) => { setDraft((old) => ({ ...old, ...some })); },
    fault: (field) => faultAt(faults, field),
  };
  const send = () => {
    const secret = draft.secret.trim();
    const done = { onSuccess: onClose };
    if (of) update.mutate({ name: of.name, body: { ...clusterOf(draft), revision: of.revision, ...(secret === "" ? {} : { secret }) } }, done);
    else add.mutate({ ...clusterOf(draft), name: draft.name.trim(), secret }, done);
  };
  return (
    <FormDialog title={of ? t("cluster.change_title", { name: of.name }) : t("cluster.add")} send={of ? t("list.save") : t("cluster.add")} onClose={onClose} onSubmit={send} error={error} busy={isPending} wide>
      {!of && <Field label={t("cluster.name")} required maxLength={40} autoComplete="off" autoCapitalize="none" spellCheck={false} hint={t("cluster.name_hint")} value={draft.name} onChange={(event) => { part.set({ name: event.target.value }); }} fault={part.fault("name")} />}
      <TextArea label={t("cluster.entries")} rows={2} mono required placeholder="https://pve-a.example:8006" hint={t("cluster.entries_hint")} value={draft.entries} onChange={(entries) => { part.set({ entries }); }} fault={part.fault("entries")} />
      <TokenFields {...part} stored={of !== undefined} />
      <TextArea label={t("cluster.fingerprints")} rows={2} mono placeholder="15:95:E3:…" hint={t("cluster.fingerprints_hint")} value={draft.fingerprints} onChange={(fingerprints) => { part.set({ fingerprints }); }} fault={part.fault("tls.fingerprints")} />
      <Tester draft={draft} onTrust={(one) => { part.set({ fingerprints: withFingerprint(draft.fingerprints, one) }); }} />
      <More {...part} />
    </FormDialog>
  );
}

function TokenFields({ draft, set, fault, stored }: PartProps & { stored: boolean }) {
  const { t } = useWords();
  return (
    <div className="duo">
      <Field label={t("cluster.token")} required autoComplete="off" autoCapitalize="none" spellCheck={false} placeholder="atlas@pve!reader" hint={t("cluster.token_hint")} value={draft.tokenId} onChange={(event) => { set({ tokenId: event.target.value }); }} fault={fault("token_id")} />
      <Field label={t("cluster.secret")} type="password" required={!stored} autoComplete="new-password" hint={stored ? t("cluster.secret_stored") : t("cluster.secret_hint")} value={draft.secret} onChange={(event) => { set({ secret: event.target.value }); }} fault={fault("secret")} />
    </div>
  );
}

function Tester({ draft, onTrust }: { draft: ClusterDraft; onTrust: (fingerprint: string) => void }) {
  const { t } = useWords();
  const test = useTestConnection();
  const run = (tested: ClusterDraft) => { test.mutate(testOf(tested)); };
  return (
    <div className="labelled">
      <div className="rowacts left">
        <button type="button" className="btn" disabled={test.isPending || draft.entries.trim() === ""} onClick={() => { run(draft); }}><Icon of={IconPlugConnected} />{test.isPending ? t("cluster.testing") : t("cluster.test")}</button>
        {draft.secret.trim() === "" && <span className="label">{t("cluster.test_no_secret")}</span>}
      </div>
      {test.error && <Failed error={test.error} />}
      {test.data && <TestResult test={test.data} onTrust={(one) => { onTrust(one); run({ ...draft, fingerprints: withFingerprint(draft.fingerprints, one) }); }} />}
    </div>
  );
}

/** What most clusters do not need. It opens by itself when something in it was refused. */
function More({ draft, set, fault }: PartProps) {
  const { t } = useWords();
  const faulty = ["tls.cas", "node_addresses", "desktop_tag", "changes", "limits"].some((field) => fault(field) !== undefined);
  return (
    <details open={faulty || undefined}>
      <summary>{t("cluster.more")}</summary>
      <div className="form">
        <Field label={t("cluster.tag")} autoComplete="off" autoCapitalize="none" spellCheck={false} hint={t("cluster.tag_hint")} value={draft.desktopTag} onChange={(event) => { set({ desktopTag: event.target.value }); }} fault={fault("desktop_tag")} />
        <TextArea label={t("cluster.cas")} rows={3} mono placeholder="-----BEGIN CERTIFICATE-----" hint={t("cluster.cas_hint")} value={draft.cas} onChange={(cas) => { set({ cas }); }} fault={fault("tls.cas")} />
        <TextArea label={t("cluster.node_addresses")} rows={2} mono placeholder="pve-b=https://192.0.2.12:8006" hint={t("cluster.node_addresses_hint")} value={draft.nodeAddresses} onChange={(nodeAddresses) => { set({ nodeAddresses }); }} fault={fault("node_addresses")} />
        <Check label={t("cluster.changes")} hint={t("cluster.changes_hint")} checked={draft.changes} onChange={(changes) => { set({ changes }); }} />
        <div className="trio">
          {limitNames.map((name) => (
            <Field key={name} label={t(`cluster.limit.${name}`)} type="number" min={0} placeholder={t("cluster.limit_default")} value={draft.limits[name]} onChange={(event) => { set({ limits: { ...draft.limits, [name]: event.target.value } }); }} fault={fault(["limits", name].join("."))} />
          ))}
        </div>
      </div>
    </details>
  );
}
