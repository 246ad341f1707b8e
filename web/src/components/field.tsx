import { useId, type ComponentProps, type ReactNode } from "react";
import { IconSelector } from "@tabler/icons-react";
import { Icon } from "./icon";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: ReactNode;
  /** What is wrong with it; undefined: nothing is known to be. */
  fault?: string | undefined;
}

/** A labelled line of text. */
export function Field({ label, hint, fault, ...input }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, fault === undefined ? "" : `${id}-fault`].join(" ").trim();
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      <span className="field">
        <input {...input} id={id} aria-invalid={fault !== undefined} aria-describedby={described || undefined} />
      </span>
      {hint !== undefined && <span id={`${id}-hint`} className="label">{hint}</span>}
      {fault !== undefined && <span id={`${id}-fault`} className="is-error">{fault}</span>}
    </div>
  );
}

export interface Choice {
  value: string;
  label: string;
}

interface SelectProps {
  label: string;
  /** In pixels; without, as wide as its words. */
  width?: number;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
}

/** One of several, with the browser's own list. */
export function Select({ label, width, value, choices, onChange }: SelectProps) {
  return (
    <span className="choice" style={width === undefined ? undefined : { width }}>
      <select className="field" aria-label={label} value={value} onChange={(event) => { onChange(event.target.value); }}>
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.label}</option>)}
      </select>
      <Icon of={IconSelector} />
    </span>
  );
}
