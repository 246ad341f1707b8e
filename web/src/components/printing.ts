import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Paper shows all rows of a list, not only those in sight: they have to be there when the browser asks for them. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => { flushSync(() => { setPrinting(true); }); };
    const end = () => { setPrinting(false); };
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}
