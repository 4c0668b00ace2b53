// SPDX-License-Identifier: Apache-2.0
// A process that runs inputs, under limits of memory and time. It is replaced when it dies, when it
// had to be killed, and after some hundred inputs. The processes that it started end with it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

/** How running one command line ended. */
export type Outcome = Ended | Died;

/** The program returned. */
export interface Ended {
  readonly kind: "ended";
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Exceptions that nobody caught. */
  readonly thrown: readonly string[];
  /** Handles that would prevent the process from ending. */
  readonly held: readonly string[];
  /** Output to the pipes of the process. */
  readonly stray: string;
  /** It was asked to stop when its time was over, and did. */
  readonly stopped: boolean;
  readonly seconds: number;
}

/** The process ended. */
export interface Died {
  readonly kind: "died";
  readonly how: string;
  readonly stray: string;
  readonly seconds: number;
}

export interface Limits {
  /** Of the data of a process, in MiB. */
  readonly memory: number;
  /** Seconds of processor time after which an input is stopped. */
  readonly processor: number;
  /** Wall-clock limit in seconds. */
  readonly wall: number;
  /** Seconds on the clock without any processor time after which it is stopped: it waits. */
  readonly idle: number;
  /** Seconds from the request to stop until it is killed. */
  readonly grace: number;
}

export const defaultLimits: Limits = { memory: 3072, processor: 20, wall: 90, idle: 20, grace: 15 };

export interface RunnerOptions {
  /** The module whose `runMain` is called. */
  readonly main: string;
  /** A directory for the temporary files and the cache of the process. */
  readonly home: string;
  readonly limits: Limits;
  /** Inputs until the process is replaced. */
  readonly inputs: number;
}

export interface Runner {
  readonly run: (directory: string, argv: readonly string[]) => Promise<Outcome>;
  readonly end: () => Promise<void>;
}

interface Worker {
  readonly child: ChildProcess;
  readonly gone: Promise<unknown>;
  stray: string;
  left: number;
}

/** The environment without programs that a command may start: synthesis and RTL end at once. */
function environment(home: string): NodeJS.ProcessEnv {
  const own = ["NEARDATA_CACHE", "RAMULATOR2_DIR", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"];
  const kept = Object.entries(process.env).filter(([name]) => !own.includes(name));
  const paths = { PATH: `${home}/bin`, TMPDIR: `${home}/tmp`, NEARDATA_CACHE: `${home}/cache` };
  for (const path of Object.values(paths)) mkdirSync(path, { recursive: true });
  return { ...Object.fromEntries(kept), ...paths };
}

async function start({ main, home, limits, inputs }: RunnerOptions): Promise<Worker> {
  const script = 'ulimit -d "$1"; ulimit -c 0; shift; exec "$@"';
  const own = [process.execPath, "--max-old-space-size=1024", resolve("test/fuzz/worker.js"), main];
  const child = spawn("/bin/bash", ["-c", script, "bash", String(limits.memory * 1024), ...own], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: environment(resolve(home)),
    cwd: home,
    detached: true,
  });
  const worker: Worker = { child, gone: once(child, "exit"), stray: "", left: inputs };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => (worker.stray += chunk.toString()));
  }
  const first: unknown = await Promise.race([once(child, "message"), worker.gone]);
  if (!Array.isArray(first) || first[0] !== "ready")
    throw new Error(`the process does not begin: ${worker.stray}`);
  return worker;
}

/** Seconds of processor time of a process and of those of its children that ended. */
function processorSeconds(pid: number): number {
  try {
    const [, after = ""] = readFileSync(`/proc/${String(pid)}/stat`, "utf8").split(") ");
    const fields = after.split(" ").slice(11, 15).map(Number);
    return fields.reduce((sum, ticks) => sum + ticks, 0) / 100;
  } catch {
    return 0;
  }
}

function kill({ child }: Worker, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It has already ended.
  }
}

/** A runner whose process begins with the first input. */
export function runner(options: RunnerOptions): Runner {
  let worker: Worker | null = null;
  const end = async (): Promise<void> => {
    if (worker === null) return;
    kill(worker, "SIGKILL");
    await worker.gone;
    worker = null;
  };
  const run = async (directory: string, argv: readonly string[]): Promise<Outcome> => {
    if (worker !== null && worker.left <= 0) await end();
    worker ??= await start(options);
    const outcome = await runIn(worker, directory, argv, options.limits);
    if (outcome.kind === "died") await end();
    return outcome;
  };
  return { run, end };
}

type Answer = Pick<Ended, "code" | "stdout" | "stderr" | "thrown" | "held">;

async function runIn(
  worker: Worker,
  directory: string,
  argv: readonly string[],
  { grace, idle, processor, wall }: Limits,
): Promise<Outcome> {
  const { child } = worker;
  worker.stray = "";
  worker.left -= 1;
  const begin = performance.now();
  const pid = child.pid ?? 0;
  const before = processorSeconds(pid);
  const seconds = (): number => (performance.now() - begin) / 1000;
  const answer = once(child, "message").then(([message]) => message as Answer);
  const gone = worker.gone.then(() => "gone" as const);
  child.send({ directory, argv });
  let stopped: number | null = null;
  let busy = { used: 0, at: 0 };
  for (;;) {
    const watch = new AbortController();
    const pause = setTimeout(100, "pause" as const, { signal: watch.signal });
    const first = await Promise.race([answer, gone, pause]);
    watch.abort();
    pause.catch(() => undefined);
    if (first === "gone") {
      const ended = child.signalCode ?? `exit code ${String(child.exitCode)}`;
      const how = stopped === null ? ended : `nothing after ${stopped.toFixed(0)} s`;
      return { kind: "died", how, stray: worker.stray, seconds: seconds() };
    }
    if (first !== "pause") {
      // Output that bypasses `process` is in the pipes before the answer.
      await setTimeout(0);
      const time = { stray: worker.stray, stopped: stopped !== null, seconds: seconds() };
      return { kind: "ended", ...first, ...time };
    }
    const used = processorSeconds(pid) - before;
    if (used > busy.used + 0.02) busy = { used, at: seconds() };
    const late = used > processor || seconds() > wall || seconds() > busy.at + idle;
    if (stopped === null && late) {
      stopped = seconds();
      child.kill("SIGINT");
    }
    if (stopped !== null && seconds() > stopped + grace) {
      kill(worker, "SIGKILL");
      await worker.gone;
      const how = `nothing after ${stopped.toFixed(0)} s, and it does not stop`;
      return { kind: "died", how, stray: worker.stray, seconds: seconds() };
    }
  }
}
