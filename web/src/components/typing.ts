import { useCallback, useEffect, useRef, useState } from "react";

// The address follows so many milliseconds after the last key: it is written once, not with each key.
const pause = 300;

/**
 * A search that filters with each key and is written to the address when the typing
 * rests. value is what the address says; a change of it from elsewhere is taken over.
 * write has to stay the same function.
 */
export function useTyping(value: string, write: (text: string) => void): readonly [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const [written, setWritten] = useState(value);
  if (shown !== value) {
    setShown(value);
    setWritten(value);
    // What was typed since it was written stays.
    if (value !== written) setText(value);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => { clearTimeout(timer.current); }, []);
  const type = useCallback((next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setWritten(next.trim());
      write(next.trim());
    }, pause);
  }, [write]);
  return [text, type];
}
