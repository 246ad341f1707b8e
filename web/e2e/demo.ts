import { run } from "./server";

/** Starts `pciatlas demo` for all tests and ends it after them. PCIATLAS_URL names one that runs already. */
export default async function startDemo(): Promise<() => Promise<void>> {
  if (process.env["PCIATLAS_URL"]) return () => Promise.resolve();
  const demo = await run("demo", "--listen", "127.0.0.1:0");
  process.env["PCIATLAS_URL"] = demo.url;
  return demo.stop;
}
