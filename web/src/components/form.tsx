import { useId, useState, type ReactNode, type SyntheticEvent } from "react";
import { useWords } from "../i18n/words";
import { Dialog } from "./dialog";
import { Field, Select, type Choice } from "./field";
import { FormFault } from "./problem";

interface TextAreaProps {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  rows: number;
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
  placeholder?: string;
  /** Addresses, fingerprints and the like. */
  mono?: boolean;
}

/** Labelled text of several lines. */
export function TextArea({ label, hint, fault, rows, value, onChange, required, placeholder, mono = false }: TextAreaProps) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, fault === undefined ? "" : `${id}-fault`].join(" ").trim();
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id} className={mono ? "field mono" : "field"} rows={rows} value={value} required={required} placeholder={placeholder}
        spellCheck={false} autoCapitalize="none" aria-invalid={fault !== undefined} aria-describedby={described || undefined}
        onChange={(event) => { onChange(event.target.value); }}
      />
      {hint !== undefined && <span id={`${id}-hint`} className="label">{hint}</span>}
      {fault !== undefined && <span id={`${id}-fault`} className="is-error">{fault}</span>}
    </div>
  );
}

interface CheckProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A box to tick, with words beside it. */
export function Check({ label, hint, checked, onChange }: CheckProps) {
  return (
    <label className="opt">
      <input type="checkbox" checked={checked} onChange={(event) => { onChange(event.target.checked); }} />
      <span>{label}{hint !== undefined && <span className="label">{hint}</span>}</span>
    </label>
  );
}

interface ChoiceFieldProps {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
}

/** A select with its label above it. */
export function ChoiceField({ label, hint, fault, ...select }: ChoiceFieldProps) {
  return (
    <div className="labelled">
      <span aria-hidden>{label}</span>
      <Select label={label} {...select} />
      {hint !== undefined && <span className="label">{hint}</span>}
      {fault !== undefined && <span className="is-error">{fault}</span>}
    </div>
  );
}

interface FormDialogProps {
  title: ReactNode;
  sub?: ReactNode;
  onClose: () => void;
  onSubmit: () => void;
  /** The word of the button that sends. */
  send: string;
  /** Why it was refused; null: it was not. */
  error: unknown;
  busy: boolean;
  /** Holds the button back until a condition that is on the screen is met. */
  held?: boolean;
  /** At the left of the buttons. */
  note?: ReactNode;
  /** One column of short fields, or the whole width. */
  wide?: boolean;
  children: ReactNode;
}

/** A form over the page. The server's word about the whole form stands above the fields. */
export function FormDialog({ title, sub, onClose, onSubmit, send, error, busy, held = false, note, wide = false, children }: FormDialogProps) {
  const { t } = useWords();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} {...(sub === undefined ? {} : { sub })} onClose={onClose}>
      <form onSubmit={submit}>
        <div className={wide ? "dlb form" : "dlb form slim"}>
          {error != null && <FormFault error={error} changes />}
          {children}
        </div>
        <div className="dlf">
          {note !== undefined && <span className="label">{note}</span>}
          <span className="acts">
            <button type="button" className="btn" onClick={onClose}>{t("frame.cancel")}</button>
            <button type="submit" className="btn primary" disabled={busy || held}>{send}</button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What happens. */
  children: ReactNode;
  send: string;
  onClose: () => void;
  onConfirm: () => void;
  error: unknown;
  busy: boolean;
  /** A name that has to be typed first; without, one press is enough. */
  typed?: { name: string; label: string };
}

/** Asks before something is removed. */
export function Confirm({ title, children, send, onClose, onConfirm, error, busy, typed }: ConfirmProps) {
  const [text, setText] = useState("");
  return (
    <FormDialog title={title} onClose={onClose} onSubmit={onConfirm} send={send} error={error} busy={busy} held={typed !== undefined && text !== typed.name}>
      <p>{children}</p>
      {typed !== undefined && (
        <Field label={typed.label} autoComplete="off" autoCapitalize="none" spellCheck={false} value={text} onChange={(event) => { setText(event.target.value); }} />
      )}
    </FormDialog>
  );
}
