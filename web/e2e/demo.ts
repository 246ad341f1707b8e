import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts `pciatlas demo` for all tests and ends it after them. PCIATLAS_URL names one that runs already. */
export default async function startDemo(): Promise<() => void> {
  if (process.env["PCIATLAS_URL"]) return () => undefined;
  const binary = process.env["PCIATLAS_BIN"] ?? "../bin/pciatlas";
  const demo = spawn(binary, ["demo", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  process.env["PCIATLAS_URL"] = await new Promise<string>((resolve, reject) => {
    demo.once("error", reject);
    demo.once("exit", (code) => { reject(new Error(`${binary} demo ended with ${String(code)} before it was ready`)); });
    createInterface(demo.stdout).on("line", (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (address) resolve(address[0]);
    });
  });
  return () => { demo.kill("SIGTERM"); };
}
