import { Fragment, useRef, useState } from "react";
import { FindingItem, FindingList, type FindingListProps } from "../../components/finding";
import { useInSight } from "../../components/in-sight";
import { useNarrow } from "../../components/media";
import { usePrinting } from "../../components/printing";
import { findingKey } from "../../domain/findings";

/** So many findings are drawn at once; of more, first those in sight. */
const drawnAtOnce = 10;

/** Findings of whole clusters, which may be thousands. */
export function LongFindingList(props: FindingListProps) {
  const printing = usePrinting();
  return props.findings.length <= drawnAtOnce || printing ? <FindingList {...props} /> : <FindingsInSight {...props} />;
}

function FindingsInSight({ findings, ...rest }: FindingListProps) {
  const box = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<readonly number[]>(nothing);
  // Whoever opened one finds it open when he comes back.
  const [opened, setOpened] = useState<readonly number[]>(nothing);
  const height = useNarrow() ? 176 : 104;
  const { items, after, measure } = useInSight({ box, rows: findings, keyOf: findingKey, height, held: [...focused, ...opened] });
  return (
    <ul
      ref={box}
      className="panel fnds"
      onFocus={(event) => { setFocused(placeOf(event.target)); }}
      onBlur={() => { setFocused(nothing); }}
      onClick={(event) => { setOpened(afterPress(opened, event.target)); }}
    >
      {items.map(({ index, row, key, gap }) => (
        <Fragment key={key}>
          <Gap height={gap} />
          <FindingItem finding={row} {...rest} index={index} count={findings.length} measure={measure} />
        </Fragment>
      ))}
      <Gap height={after} />
    </ul>
  );
}

const nothing: readonly number[] = [];

/** Stands for the findings that are out of sight. */
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : <li aria-hidden style={{ height, padding: 0, border: 0 }} />;
}

function placeOf(at: EventTarget): readonly number[] {
  const index = at instanceof Element ? at.closest("li[data-index]")?.getAttribute("data-index") : undefined;
  return index == null ? nothing : [Number(index)];
}

/** The findings that are open after a press: it comes before what it opens or closes. */
function afterPress(opened: readonly number[], at: EventTarget): readonly number[] {
  const details = at instanceof Element ? at.closest("summary")?.parentElement : null;
  if (!(details instanceof HTMLDetailsElement)) return opened;
  const place = placeOf(details);
  return details.open ? opened.filter((index) => !place.includes(index)) : [...opened, ...place];
}
