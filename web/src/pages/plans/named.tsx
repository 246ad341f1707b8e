/** A sentence with the names in it written as they are typed. */
export function Named({ text, names }: { text: string; names: readonly string[] }) {
  const wanted = names.filter((name) => name !== "");
  const [name, ...rest] = wanted;
  if (name === undefined) return <>{text}</>;
  const at = text.indexOf(name);
  if (at < 0) return <Named text={text} names={rest} />;
  return (
    <>
      {text.slice(0, at)}<span className="mono">{name}</span><Named text={text.slice(at + name.length)} names={rest} />
    </>
  );
}
