import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { IconCheck } from "@tabler/icons-react";
import { Icon } from "./icon";

export interface MenuItem {
  key: string;
  label: ReactNode;
  /** One of several that exclude each other: whether it is the chosen one. */
  checked?: boolean;
  /** Begins a new group. */
  separated?: boolean;
  onSelect: () => void;
}

interface MenuProps {
  /** What the button says to those who do not see it; without, what stands in it. */
  label?: string;
  className?: string;
  button: ReactNode;
  items: readonly MenuItem[];
}

/** A button with a menu below it. Arrows move, Esc closes, and so does a press elsewhere. */
export function Menu({ label, className = "btn plain", button, items }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    const list = box.current?.querySelector("ul");
    (list?.querySelector<HTMLElement>("[aria-checked=true]") ?? list?.querySelector<HTMLElement>("button"))?.focus();
    const elsewhere = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    box.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      close();
    }
    if (open) moveFocus(event);
  };

  return (
    <div className="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => { setOpen(!open); }}
      >
        {button}
      </button>
      {open && (
        <ul id={id} role="menu">
          {items.map((item) => (
            <li key={item.key} role="none" className={item.separated ? "sep" : undefined}>
              <button
                type="button"
                role={item.checked === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={item.checked}
                tabIndex={-1}
                onClick={() => { close(); item.onSelect(); }}
              >
                {item.checked !== undefined && <span className="check">{item.checked && <Icon of={IconCheck} />}</span>}
                {item.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const steps: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const list = event.currentTarget.querySelector("ul");
  if (!step || !list) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[step(at, buttons.length)]?.focus();
}
