import { splitRemedy, type Finding } from "../domain/finding";
import { Raw } from "./copy";
import { useFindingAbout } from "./finding-about";

interface RemediesProps {
  finding: Pick<Finding, "code" | "remedy">;
  /** They are looked at: what is told in general is loaded. */
  shown?: boolean;
}

/**
 * What to do about a finding: in general, in the reader's language, then the server's own
 * steps, which name what this finding is about. In English the steps say all.
 */
export function Remedies({ finding, shown = true }: RemediesProps) {
  const general = useFindingAbout(shown).part("todo", finding.code);
  return (
    <>
      {general !== undefined && <p>{general}</p>}
      {finding.remedy.map((line, index) => <Step key={index} line={line} quiet={general !== undefined} />)}
    </>
  );
}

/** A step: words as they are, a command to copy. */
function Step({ line, quiet }: { line: string; quiet: boolean }) {
  const { words, command } = splitRemedy(line);
  return (
    <div className="remedy">
      {words !== "" && <p lang="en" className={quiet ? "label" : undefined}>{words}{command !== "" && ":"}</p>}
      {command !== "" && <Raw text={command} />}
    </div>
  );
}
