import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { APIRequestContext, PlaywrightWorkerArgs } from "@playwright/test";
import { demoPassword, expect, test as base } from "./test";

export { expect };
export type { Account } from "./test";

type APIRequest = PlaywrightWorkerArgs["playwright"]["request"];

/** A simulated cluster that the server of the test knows. */
export interface Cluster {
  name: string;
  /** Makes requests fail: all, or those of a path as Proxmox VE names it, like /nodes/pve-a/hardware/pci (* is any word, /** all below); always, or so many times. */
  fault: (kind: FaultKind, path?: string, times?: number, more?: FaultMore) => Promise<void>;
  /** Takes all faults away. */
  heal: () => Promise<void>;
  /** Takes a node out of the cluster, with its guests. */
  removeNode: (node: string) => Promise<void>;
  turnOff: (node: string) => Promise<void>;
  /** Runs pvesh or qm as root on a node, and gives what it prints. It has to succeed. */
  command: (node: string, ...argv: string[]) => Promise<string>;
  /** Takes the cluster out of the server, before the end of the test. */
  remove: () => Promise<void>;
}

/** Of a request that fails: which, and what becomes of what it asks for; internal/pvesim tells of each. */
export interface FaultMore {
  method?: string;
  effect?: "done" | "lost";
  reason?: string;
  skip?: number;
  delay_ms?: number;
}

/** What may go wrong; internal/pvesim tells of each. */
export type FaultKind =
  | "latency" | "unauthorized" | "forbidden" | "internal" | "refused" | "timed-out" | "not-implemented" | "hang" | "drop" | "cut"
  | "slow" | "oversize" | "html" | "garbage" | "null" | "string-data" | "string-rows" | "swapped-types" | "redirect";

/** The process of the server that the test talks to. What a test stops or halts is there again for the next. */
export interface Server {
  /** It answers no more, and its connections stay open. */
  pause: () => void;
  resume: () => void;
  /** It is gone, with all it stored. */
  stop: () => Promise<void>;
  /** A new one at the same address, which knows no session. */
  start: () => Promise<void>;
}

interface TestFixtures {
  /** Registers a world of test/simulator as a further cluster, until the end of the test; changes: its mappings may be changed, with a token that may do so. */
  cluster: (world: string, name?: string, options?: { changes?: boolean }) => Promise<Cluster>;
  server: Server;
}

interface WorkerFixtures {
  own: Own;
}

/** A program that says at which address it listens. */
class Program {
  private running: ChildProcess | undefined;

  constructor(private readonly binary: string) {}

  get runs(): boolean { return this.running !== undefined; }

  async start(...args: string[]): Promise<string> {
    const { binary } = this;
    const program = spawn(binary, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.running = program;
    return new Promise((resolve, reject) => {
      program.once("error", reject);
      program.once("exit", (code) => { reject(new Error(`${binary} ended with ${String(code)} before it was ready`)); });
      createInterface(program.stdout).on("line", (line) => {
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
        if (address) resolve(address[0]);
      });
    });
  }

  signal(signal: NodeJS.Signals): void { this.running?.kill(signal); }

  /** Ends it, and waits until it has ended. */
  async stop(): Promise<void> {
    const program = this.running;
    this.running = undefined;
    if (program === undefined || program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, "exit");
    program.kill("SIGCONT");
    program.kill("SIGTERM");
    await ended;
  }
}

/** The programs of one worker: what its tests do to them disturbs no others. */
class Own {
  private readonly demo = new Program(process.env["PCIATLAS_BIN"] ?? "../bin/pciatlas");
  private readonly simulator = new Program(process.env["PCIATLAS_SIMULATOR"] ?? "../bin/simulator");
  private address = "";
  private control = "";
  private replaced = false;

  constructor(private readonly request: APIRequest) {}

  /** The address of the demo, which is started if it does not run. */
  async url(): Promise<string> {
    if (!this.demo.runs) this.address = await this.demo.start("demo", "--listen", "127.0.0.1:0");
    return this.address;
  }

  /** Signs in to the demo. */
  async admin(): Promise<APIRequestContext> {
    const url = await this.url();
    const admin = await this.request.newContext({ baseURL: url, extraHTTPHeaders: { Origin: url } });
    const answer = await admin.post("/api/v1/session", { data: { name: "admin", password: demoPassword } });
    expect(answer.status()).toBe(200);
    return admin;
  }

  /** Leads to the simulator, which is started if it does not run. */
  async worlds(): Promise<APIRequestContext> {
    if (!this.simulator.runs) this.control = await this.simulator.start();
    return this.request.newContext({ baseURL: this.control });
  }

  server(): Server {
    const stop = () => {
      this.replaced = true;
      return this.demo.stop();
    };
    return {
      stop,
      pause: () => { this.demo.signal("SIGSTOP"); },
      resume: () => { this.demo.signal("SIGCONT"); },
      start: async () => {
        await stop();
        await this.demo.start("demo", "--listen", new URL(this.address).host);
      },
    };
  }

  /** Leaves the next test a demo that runs and that no test has stopped. */
  async settle(): Promise<void> {
    this.demo.signal("SIGCONT");
    if (this.replaced) await this.demo.stop();
    this.replaced = false;
  }

  async end(): Promise<void> {
    await Promise.all([this.demo.stop(), this.simulator.stop()]);
  }
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  own: [async ({ playwright }, provide) => {
    const own = new Own(playwright.request);
    await provide(own);
    await own.end();
  }, { scope: "worker" }],

  baseURL: async ({ own }, provide) => { await provide(await own.url()); },

  server: async ({ own }, provide) => {
    await provide(own.server());
    await own.settle();
  },

  cluster: async ({ own }, provide, info) => {
    const ends: (() => Promise<void>)[] = [];
    await provide(async (world, name = `world-${info.testId.slice(-8)}-${ends.length + 1}`, { changes = false } = {}) => {
      const [cluster, end] = await registered(own, world, name, changes);
      ends.push(end);
      return cluster;
    });
    own.server().resume();
    for (const end of ends.reverse()) await end();
  },
});

/** Starts a world and registers it; the function takes both away again. */
async function registered(own: Own, world: string, name: string, changes: boolean): Promise<[Cluster, () => Promise<void>]> {
  const [admin, worlds] = await Promise.all([own.admin(), own.worlds()]);
  const started = await worlds.post("/worlds", { data: { world } });
  expect(started.status(), await started.text()).toBe(201);
  const { id, endpoint, fingerprint, token: reading, changing_token: changing } = await started.json() as Record<"id" | "endpoint" | "fingerprint" | "token" | "changing_token", string>;
  const token = changes ? changing : reading;
  const at = token.indexOf("=");
  const answer = await admin.post("/api/v1/clusters", {
    data: { name, entries: [endpoint], token_id: token.slice(0, at), secret: token.slice(at + 1), tls: { fingerprints: [fingerprint] }, changes },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  const change = async (method: "POST" | "DELETE", path: string, data: object = {}) => {
    const changed = await worlds.fetch(`/worlds/${id}${path}`, { method, data });
    expect(changed.status(), await changed.text()).toBe(204);
  };
  const path = `/api/v1/clusters/${name}?confirm=${name}`;
  const remove = async () => {
    const removed = await admin.delete(path);
    expect(removed.status(), await removed.text()).toBe(200);
  };
  const end = async () => {
    // The server may be gone, or another one, which does not know the cluster.
    const removed = await admin.delete(path).catch(() => undefined);
    expect([200, 401, 404, undefined]).toContain(removed?.status());
    await change("DELETE", "");
    await Promise.all([admin.dispose(), worlds.dispose()]);
  };
  return [{
    name, remove,
    fault: (kind, path, times, more) => change("POST", "/faults", { kind, path, times, ...more }),
    heal: () => change("DELETE", "/faults"),
    removeNode: (node) => change("POST", `/nodes/${node}/remove`),
    turnOff: (node) => change("POST", `/nodes/${node}/off`),
    command: async (node, ...argv) => {
      const ran = await worlds.post(`/worlds/${id}/commands`, { data: { node, argv } });
      const { stdout, stderr, code } = await ran.json() as { stdout: string; stderr: string; code: number };
      expect([code, stderr]).toEqual([0, ""]);
      return stdout;
    },
  }, end];
}
