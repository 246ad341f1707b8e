import { Fragment, useEffect, useState, type ReactNode } from "react";
import { useWords } from "../i18n/words";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { Icon } from "./icon";

/** Puts a text on the clipboard; false: the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

// Browsers have no clipboard on pages without TLS, except on the same machine.
function copySelected(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "sr";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- There is no other way without TLS.
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

interface CopyProps {
  text: string;
  /** What is copied, for those who do not see the text beside it. */
  label?: string;
  /** Words in the button; without, the sign alone. */
  children?: string;
  /** Classes of a button that is not a small one. */
  look?: string;
}

/** A button that copies a text and says for a moment that it did. */
export function CopyButton({ text, label, children, look = children === undefined ? "btn small icon" : "btn small" }: CopyProps) {
  const { t } = useWords();
  const [said, setSaid] = useState<"copied" | "failed" | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => { setSaid(null); }, 2000);
    return () => { clearTimeout(timer); };
  }, [said]);
  return (
    <>
      <button
        type="button"
        className={look}
        aria-label={children === undefined ? (label ?? t("frame.copy")) : label}
        title={said === null ? undefined : t(`copy.${said}`)}
        onClick={() => { void copyText(text).then((ok) => { setSaid(ok ? "copied" : "failed"); }); }}
      >
        <Icon of={said === "copied" ? IconCheck : IconCopy} />
        {children}
      </button>
      <span className="sr" role="status">{said !== null && t(`copy.${said}`)}</span>
    </>
  );
}

/** A fingerprint breaks between its bytes, not within one. */
function breakable(text: string): ReactNode {
  if (!/^(?:[0-9A-F]{2}:){15,}[0-9A-F]{2}$/.test(text)) return text;
  return text.split(/(?<=:)/).map((byte, index) => <Fragment key={index}>{byte}<wbr /></Fragment>);
}

/** A line as it stands in a file or on a command line, with its copy button. */
export function Raw({ text, label }: { text: string; label?: string }) {
  return (
    <div className="raw">
      <code>{breakable(text)}</code>
      <CopyButton text={text} {...(label === undefined ? {} : { label })} />
    </div>
  );
}
