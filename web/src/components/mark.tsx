import { useWords } from "../i18n/words";
import type { Mark, MarkKind } from "../domain/marks";
import { Sign } from "./sign";
import type { SignName } from "./signs";

const signs: Record<MarkKind, SignName> = {
  pending: "m-pending",
  pending_removal: "m-removal",
  host: "m-host",
  boot: "m-host",
  vf_review: "m-vf",
  vf_multi: "m-vf",
  vf: "m-vf",
  vgpu: "m-vgpu",
  mapping: "m-mapping",
  group: "m-group",
};

/** The words of a mark. */
export function useMarkText(): (mark: Mark) => string {
  const { t } = useWords();
  return ({ kind, params, text }) => {
    if (text !== "") return text;
    if (kind === "vgpu" && params["used"] === 0) return t("gpu.mark.vgpu_unused");
    return t(`gpu.mark.${kind}`, params);
  };
}

/** A grey sign with its word or number. */
export function MarkWord({ mark }: { mark: Mark }) {
  const { t } = useWords();
  const text = useMarkText();
  const label = mark.kind === "group" ? t("gpu.group") : undefined;
  return <span title={mark.kind === "group" ? t("gpu.group_title") : undefined}><Sign name={signs[mark.kind]} {...(label === undefined ? {} : { label })} /><span className="num">{text(mark)}</span></span>;
}
