import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that runs beside the tests. */
export interface Running {
  /** Where it listens. */
  url: string;
  /** What it printed until it listened, and in the half second after that. */
  said: string;
  stop: () => Promise<void>;
}

/** Runs pciatlas with these arguments until it listens. PCIATLAS_BIN names another binary than the built one. */
export async function run(...args: string[]): Promise<Running> {
  const binary = process.env["PCIATLAS_BIN"] ?? "../bin/pciatlas";
  const program = spawn(binary, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => { program.once("exit", () => { resolve(); }); });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    program.once("error", reject);
    program.once("exit", (code) => { reject(new Error(`${binary} ${args.join(" ")} ended with ${String(code)} before it was ready`)); });
    createInterface(program.stdout).on("line", (line) => {
      lines.push(line);
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (address) setTimeout(() => { resolve(address[0]); }, 500);
    });
  });
  return { url, said: lines.join("\n"), stop: async () => { program.kill("SIGTERM"); await ended; } };
}
