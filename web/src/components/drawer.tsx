import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { IconX } from "@tabler/icons-react";
import { useWords } from "../i18n/words";
import { Icon } from "./icon";
import { useBodyClass, useMatches } from "./media";

interface DrawerProps {
  title: ReactNode;
  sub?: ReactNode;
  /** Buttons before the one that closes. */
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/**
 * What is told about the selected row, at the right of the page. From 1200 px the page
 * stays in use beside it; below, it lies over the page, which waits. Esc closes it.
 */
export function Drawer(props: DrawerProps) {
  const beside = useMatches("(min-width: 1200px)");
  useBodyClass("has-drawer");
  return beside ? <Beside {...props} /> : <Over {...props} />;
}

function Beside(props: DrawerProps) {
  const id = useId();
  const { onClose } = props;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) onClose();
    };
    document.addEventListener("keydown", onKey);
    return () => { document.removeEventListener("keydown", onKey); };
  }, [onClose]);
  return (
    <aside className="drawer" aria-labelledby={id}>
      <Content {...props} id={id} />
    </aside>
  );
}

function Over(props: DrawerProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the dialog leaves the page: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // What lies over the page cannot flow over sheets of paper: there it stands after the page.
    const lay = () => { element?.close(); element?.show(); };
    const lift = () => { element?.close(); element?.showModal(); };
    window.addEventListener("beforeprint", lay);
    window.addEventListener("afterprint", lift);
    return () => {
      window.removeEventListener("beforeprint", lay);
      window.removeEventListener("afterprint", lift);
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="drawer over"
      aria-labelledby={id}
      onCancel={(event) => { event.preventDefault(); props.onClose(); }}
    >
      <Content {...props} id={id} />
    </dialog>
  );
}

function Content({ title, sub, actions, onClose, children, id }: DrawerProps & { id: string }) {
  const { t } = useWords();
  return (
    <>
      <div className="dh">
        <div>
          <h2 id={id}>{title}</h2>
          {sub !== undefined && <p className="label">{sub}</p>}
        </div>
        <div className="acts">
          {actions}
          <button type="button" className="btn plain icon" aria-label={t("frame.close")} onClick={onClose}>
            <Icon of={IconX} />
          </button>
        </div>
      </div>
      {children}
    </>
  );
}
