import { useEffect, type ReactNode } from "react";
import { PrintHead } from "./print-head";

/** The name of the page in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · pciatlas`;
  }, [title]);
}

interface PageHeadProps {
  title: string;
  sub?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}

/** The first line of a page. */
export function PageHead({ title, sub, actions }: PageHeadProps) {
  useTitle(title);
  return (
    <>
      <PrintHead title={title} />
      <div className="head">
        <h1 tabIndex={-1}>{title}</h1>
        {sub !== undefined && <span className="sub num">{sub}</span>}
        {actions !== undefined && <span className="acts">{actions}</span>}
      </div>
    </>
  );
}

/** The first line of a section. */
export function SectionHead({ title, sub, more }: { title: ReactNode; sub?: ReactNode; more?: ReactNode }) {
  return (
    <div className="sechead">
      <h2>{title}</h2>
      {sub !== undefined && <span className="sub num">{sub}</span>}
      {more !== undefined && <span className="more">{more}</span>}
    </div>
  );
}
