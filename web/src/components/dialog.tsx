import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { IconX } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { Icon } from "./icon";

interface DialogProps {
  title: ReactNode;
  /** Second line of the head. */
  sub?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the page, which waits. Esc closes it; the focus goes back to where it was. */
export function Dialog({ title, sub, onClose, children }: DialogProps) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the dialog leaves the page: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => { element?.close(); };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => { event.preventDefault(); onClose(); }}
    >
      <div className="dlh">
        <div>
          <h2 id={id}>{title}</h2>
          {sub !== undefined && <p className="label">{sub}</p>}
        </div>
        <button type="button" className="btn plain icon" aria-label={t("frame.close")} onClick={onClose}>
          <Icon of={IconX} />
        </button>
      </div>
      {children}
    </dialog>
  );
}
