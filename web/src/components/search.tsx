import { useEffect, useRef, useState } from "react";
import { IconSearch } from "@tabler/icons-react";
import { Icon } from "./icon";

// Until so many milliseconds after the last key the address and the list stay as they are.
const pause = 120;

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Searches as one types. Esc empties it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => { clearTimeout(timer.current); }, []);
  const send = (next: string, after: number) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => { onChange(next.trim()); }, after);
  };
  return (
    <label className="field search">
      <Icon of={IconSearch} />
      <input
        type="search" aria-label={label} placeholder={label} value={text} enterKeyHint="search" autoCapitalize="none" spellCheck={false}
        onChange={(event) => { send(event.target.value, pause); }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text !== "") { event.preventDefault(); send("", 0); }
        }}
      />
    </label>
  );
}
