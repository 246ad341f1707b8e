import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFindingCodes, type FindingCode } from "../../api/findings";
import { Drawer } from "../../components/drawer";
import { Loaded } from "../../components/list";

/** What a code means: when it is found, what happens otherwise, and what to do. The server explains in English. */
export function CodeDrawer({ code, onClose }: { code: string; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const query = useFindingCodes();
  const title = `finding.title.${code}`;
  return (
    <Drawer title={i18n.exists(title) ? t(title) : <span className="mono">{code}</span>} sub={i18n.exists(title) ? <span className="mono">{code}</span> : undefined} onClose={onClose}>
      <section className="sec meaning">
        <Loaded query={query} rows={3}>
          {(codes) => <Meaning of={codes.find((one) => one.code === code)} />}
        </Loaded>
      </section>
    </Drawer>
  );
}

function Meaning({ of }: { of: FindingCode | undefined }) {
  const { t } = useTranslation();
  if (!of) return <p>{t("findings.no_such_code")}</p>;
  return (
    <>
      {of.to_come && <p className="muted">{t("findings.to_come")}</p>}
      <dl className="explained">
        <Part name={t("findings.family")}>{of.family}</Part>
        <Part name={t("findings.severity")}>{of.severity}</Part>
        <Part name={t("findings.when")}>{of.when}</Part>
        <Part name={t("findings.why")}>{of.why}</Part>
        <Part name={t("findings.remedy")}>{of.remedy}</Part>
        <Part name={t("findings.source")}>{of.source}</Part>
      </dl>
    </>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return <><dt className="label">{name}</dt><dd lang="en">{children}</dd></>;
}
