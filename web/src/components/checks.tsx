import { useWords } from "../i18n/words";
import type { Diagnosis } from "../api/placement";
import { Addresses } from "./placing";
import { usePlacingText } from "./placing-text";
import { Raw } from "./copy";
import { Sign } from "./sign";

type Check = Diagnosis["checks"][number];
type Fix = Check["fixes"][number];

/** How many checks came out how. */
export function useCheckCounts(): (told: Diagnosis) => string {
  const { t } = useWords();
  return ({ passed, failed, unseen }) =>
    [t("doctor.passed", { n: passed }), t("doctor.failed", { n: failed }), t("doctor.unseen", { n: unseen })].join(" · ");
}

/** The checks in their order; the one to begin with is marked. */
export function Checks({ told }: { told: Diagnosis }) {
  return (
    <ol className="panel checks">
      {told.checks.map((check) => <CheckItem key={check.code} check={check} told={told} />)}
    </ol>
  );
}

const looks = { passed: "ok", failed: "bad", unseen: "un" } as const;

function CheckItem({ check, told }: { check: Check; told: Diagnosis }) {
  const { t } = useWords();
  const say = usePlacingText("doctor");
  const look = Object.hasOwn(looks, check.state) ? looks[check.state] : "un";
  return (
    <li className={`chk ${look}`}>
      <span className="v"><StateSign state={check.state} /><span className="w">{t(`doctor.state.${check.state}`)}</span></span>
      <div>
        <p>
          <b>{t(`doctor.check.${check.code}`)}</b>
          {told.first === check.code && <span className="mark first"> {check.stops_start ? t("doctor.first_stops") : t("doctor.first")}</span>}
        </p>
        <ul className="readings">
          {check.readings.map((reading, index) => {
            const { text, lang } = say(reading);
            return <li key={index} lang={lang}><Addresses text={text} cluster={told.cluster} node={told.node} known={devicesOf(reading.params)} /></li>;
          })}
        </ul>
        {check.state !== "passed" && <Advice check={check} />}
      </div>
    </li>
  );
}

/** The functions that a reading is about. */
function devicesOf(params: Record<string, string>): string[] {
  return `${params["device"] ?? ""} ${params["devices"] ?? ""}`.match(/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]/g) ?? [];
}

function StateSign({ state }: { state: Check["state"] }) {
  if (state === "passed") return <Sign name="c-ok" />;
  if (state === "failed") return <span className="is-error"><Sign name="v-error" /></span>;
  return <Sign name="c-unseen" />;
}

/** What to run, what good output looks like, and what to write where. */
function Advice({ check }: { check: Check }) {
  const { t, i18n } = useWords();
  const { commands, good_output: good, good_code: code } = check;
  const key = `doctor.good.${code ?? ""}`;
  return (
    <>
      {commands.map((command) => <Raw key={command} text={command} />)}
      {commands.length > 0 && good !== null && (
        <p className="label">{t("doctor.good")} {i18n.exists(key) ? t(key) : <span lang="en">{good}</span>}</p>
      )}
      {check.fixes.map((fix, index) => <FixItem key={index} fix={fix} />)}
    </>
  );
}

/** Advice without a command; its words are the message's own. */
const words = new Set<string>(["firmware_iommu", "other_slot"]);

function FixItem({ fix }: { fix: Fix }) {
  const { t, i18n } = useWords();
  const key = `doctor.fix.${fix.code}`;
  const title = i18n.exists(key) ? t(key, { file: fix.file ?? "" }) : fix.code;
  if (words.has(fix.code)) return <p className="fixline">{title}</p>;
  return (
    <div className="fixline">
      <p>{title}</p>
      <Raw text={fix.text} />
    </div>
  );
}
