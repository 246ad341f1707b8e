import type { ReactNode } from "react";
import { useWords } from "../../i18n/words";
import type { VMDetail } from "../../api/vms";
import { Raw } from "../../components/copy";
import { SectionHead } from "../../components/head";
import { NotTold } from "../../components/states";

/** What else of the configuration concerns devices. Not told looks different from none. */
export function VMFacts({ vm }: { vm: VMDetail }) {
  const { t } = useWords();
  return (
    <div>
      <SectionHead title={t("vm.config")} />
      <dl className="panel facts">
        <Fact name={t("vm.machine")}>{text(vm.machine, vm.config_read ? t("vm.default") : null)}</Fact>
        <Fact name={t("vm.bios")}>{text(vm.bios, vm.config_read ? t("vm.default") : null)}</Fact>
        <Fact name={t("vm.tags")}>{vm.tags === null ? null : vm.tags.length === 0 ? t("vm.none") : <span className="mono">{vm.tags.join(", ")}</span>}</Fact>
        <Fact name={t("vm.args")}>{flag(vm.custom_args, t("vm.args_set"), t("vm.none"))}</Fact>
        <Fact name={t("vm.hookscript")}>{flag(vm.hookscript, t("vm.hookscript_set"), t("vm.none"))}</Fact>
        <Fact name={t("vm.dropped")}><Dropped vm={vm} /></Fact>
        <Fact name={t("vm.snapshots")}><Snapshots vm={vm} /></Fact>
      </dl>
    </div>
  );
}

function text(value: string | null, otherwise: string | null): ReactNode {
  return value === null ? otherwise && <span className="muted">{otherwise}</span> : <span className="mono">{value}</span>;
}

function flag(value: boolean | null, yes: string, no: string): string | null {
  return value === null ? null : value ? yes : no;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useWords();
  return <div className="q"><dt>{name}</dt><dd>{children ?? <NotTold>{t("vm.not_told")}</NotTold>}</dd></div>;
}

function Dropped({ vm: { dropped_lines: lines } }: { vm: VMDetail }) {
  const { t } = useWords();
  if (lines === null) return <NotTold>{t("vm.dropped_not_told")}</NotTold>;
  if (lines.length === 0) return t("vm.none");
  return <ul>{lines.map((line) => <li key={`${line.section} ${String(line.line)}`}><Raw text={line.text} /><span className="label" lang="en">{t("vm.dropped_line", { line: line.line })} {line.reason}</span></li>)}</ul>;
}

function Snapshots({ vm: { snapshots } }: { vm: VMDetail }) {
  const { t } = useWords();
  if (snapshots === null) return <NotTold>{t("vm.not_told")}</NotTold>;
  if (snapshots.length === 0) return t("vm.none");
  return <ul>{snapshots.map((line) => <li key={`${line.snapshot} ${line.slot}`}><span>{line.snapshot}</span><Raw text={`${line.slot}: ${line.value}`} /></li>)}</ul>;
}
