import { IconSearch } from "@tabler/icons-react";
import { Icon } from "./icon";

interface SearchFieldProps {
  label: string;
  /** What can be searched for, while nothing is. */
  hint?: string;
  value: string;
  /** Called with each key. */
  onChange: (value: string) => void;
}

/** Searches as one types. Esc empties it. */
export function SearchField({ label, hint = label, value, onChange }: SearchFieldProps) {
  return (
    <label className="field search">
      <Icon of={IconSearch} />
      <input
        type="search" aria-label={label} placeholder={hint} value={value} enterKeyHint="search" autoCapitalize="none" spellCheck={false}
        onChange={(event) => { onChange(event.target.value); }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") { event.preventDefault(); onChange(""); }
        }}
      />
    </label>
  );
}
