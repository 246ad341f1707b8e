import { Brand } from "./header";
import { LoadingRows } from "./list";
import { Bar } from "./states";

// As many bars as the navigation has pages, of lengths like their names.
const names = [64, 96, 32, 56, 112, 60, 52, 96, 72, 60];

/** The frame before it is known who is signed in: where everything will stand. */
export function FrameLoading() {
  return (
    <>
      <header className="hd"><Brand home={false} /></header>
      <div className="nav" aria-hidden>
        {names.map((width, at) => <div className="grp" key={at}><Bar width={width} /></div>)}
      </div>
      <main className="main" id="main"><PageLoading /></main>
    </>
  );
}

/** A page before its program has come. */
export function PageLoading() {
  return (
    <>
      <div className="head" aria-hidden><h1><Bar width={120} /></h1></div>
      <LoadingRows rows={8} />
    </>
  );
}
