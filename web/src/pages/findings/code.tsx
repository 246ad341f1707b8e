import type { ReactNode } from "react";
import { useWords } from "../../i18n/words";
import { useFindingCodes, type FindingCode } from "../../api/findings";
import { Drawer } from "../../components/drawer";
import { useFindingAbout } from "../../components/finding-about";
import { Loaded } from "../../components/list";
import { severities } from "../../domain/findings";

/** What a code means: when it is found, what happens otherwise, and what to do. */
export function CodeDrawer({ code, onClose }: { code: string; onClose: () => void }) {
  const { t, i18n } = useWords();
  const query = useFindingCodes();
  const title = `finding.title.${code}`;
  return (
    <Drawer title={i18n.exists(title) ? t(title) : <span className="mono">{code}</span>} sub={i18n.exists(title) ? <span className="mono">{code}</span> : undefined} onClose={onClose}>
      <div className="meaning">
        <Loaded query={query} rows={3}>
          {(codes) => <Meaning of={codes.find((one) => one.code === code)} />}
        </Loaded>
      </div>
    </Drawer>
  );
}

function Meaning({ of }: { of: FindingCode | undefined }) {
  const { t } = useWords();
  const about = useFindingAbout();
  if (!of) return <section className="sec"><p>{t("findings.no_such_code")}</p></section>;
  return (
    <>
      {of.to_come && <section className="sec"><p className="muted">{t("findings.to_come")}</p></section>}
      <Part name={t("findings.when")} own={about.part("when", of.code)} english={of.when} />
      <Part name={t("findings.why")} own={about.part("why", of.code)} english={of.why} />
      <Part name={t("findings.remedy")} own={about.part("todo", of.code)} english={of.remedy} />
      <section className="sec">
        <dl className="kv">
          <dt>{t("findings.severity")}</dt><dd><Severity of={of} own={about.part("severity", of.code)} /></dd>
          <dt>{t("findings.family")}</dt><dd><Told own={about.family(of.family)} english={of.family} /></dd>
          <dt>{t("findings.source")}</dt><dd lang="en">{of.source}</dd>
        </dl>
      </section>
    </>
  );
}

interface ToldProps {
  /** In the reader's language, if it is there. */
  own: string | undefined;
  english: string;
}

function Part({ name, ...text }: ToldProps & { name: ReactNode }) {
  return <section className="sec"><h3>{name}</h3><p><Told {...text} /></p></section>;
}

function Told({ own, english }: ToldProps) {
  return own === undefined ? <span lang="en">{english}</span> : own;
}

/** A word where the severity is always the same, else the words that say what it depends on. */
function Severity({ of, own }: { of: FindingCode; own: string | undefined }) {
  const { t } = useWords();
  const plain = severities.find((severity) => of.severity.toLowerCase() === `${severity}.`);
  return plain ? t(`severity.${plain}`) : <Told own={own} english={of.severity} />;
}
