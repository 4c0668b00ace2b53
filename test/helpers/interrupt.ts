// SPDX-License-Identifier: Apache-2.0
// Control-C of a command in a process of its own: at a state that the command says it is in, or at any moment. The
// command ends with exit code 130, or by the signal itself, which a shell shows as 130; it leaves no file of its own
// and no process.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { expect } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { inTemporary } from "./cli.ts";
import type { Requirement } from "./needs.ts";

const launcher = inRepository("src", "cli", "neardata.js");

const unit =
  "{ streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }";
const tokens = Array.from({ length: 64 }, (_, i) => String(64 - i)).join(", ");

/** Files that exist for every command. */
const inputs: Readonly<Record<string, string>> = {
  "long.yaml": `name: long\nfidelity: cycle\nexpert: { hidden: 1024, intermediate: 512 }\ntokens: [${tokens}]\n`,
  "small.yaml": `name: small\nexpert: { hidden: 70, intermediate: 37 }\ntokens: [1]\nndp: ${unit}\n`,
  "large.yaml": "name: large\nfidelity: cycle\nexpert: { hidden: 4096, intermediate: 2048 }\n",
  "sweep.yaml":
    "name: many\nscenario: large.yaml\n" +
    'random: { count: 2000, seed: 1, of: { "ndp.queueBursts": [32, 64, 128, 256] } }\n',
  "slow.yaml": `name: slow\nfidelity: cycle\nexpert: { hidden: 4096, intermediate: 2048 }\ntokens: [8]\nndp: ${unit}\n`,
  "explore.yaml":
    "name: few\nscenario: slow.yaml\nunit: ndp\nspace: { ndp.queueBursts: [8, 16] }\n",
  "trace.csv": [
    "TIMESTAMP,ContextTokens,GeneratedTokens",
    ...Array.from({ length: 200 }, () => "2023-11-16 18:15:46,1000,20"),
  ].join("\n"),
};

/** A command and a state in which it has minutes of work left. */
export interface LongCommand {
  readonly args: readonly string[];
  /** Its output on stderr in that state. */
  readonly says: RegExp;
  /** A program that it has started by then. */
  readonly runs?: string;
  readonly needs?: readonly Requirement[];
  /** Files that it may leave, from which it can resume. */
  readonly keeps?: RegExp;
  /** It starts with an empty cache, so that it has artifacts to build. */
  readonly emptyCache?: boolean;
}

/** The time of the signal: in the state, or after this many milliseconds. */
type Moment = "state" | number;

/** Interrupts a command; how many milliseconds after its start that was. */
export async function interrupted(command: LongCommand, moment: Moment): Promise<number> {
  return inTemporary(async (directory) => {
    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(directory, name), text);
    const temporary = join(directory, "tmp");
    mkdirSync(temporary);
    const begun = performance.now();
    const child = spawn(process.execPath, [launcher, ...command.args], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
      // A separate process group, to find all child processes.
      detached: true,
      env: {
        ...process.env,
        TMPDIR: temporary,
        NEARDATA_PROGRESS: "lines",
        NODE_EXTRA_CA_CERTS: "",
        ...(command.emptyCache === true && { NEARDATA_CACHE: join(directory, "cache") }),
      },
    });
    const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    try {
      if (moment === "state") await inState(child, command);
      else await Promise.race([ended, after(moment, undefined, { ref: false })]);
    } catch (error) {
      if (child.pid !== undefined && living(child).length > 0) process.kill(-child.pid, "SIGKILL");
      throw error;
    }
    const took = performance.now() - begun;
    child.kill("SIGINT");
    const [code, signal] = await ended;
    // At any moment, the work may be done by then.
    if (moment !== "state" && code === 0) return took;
    expect({ code, signal }).toEqual(
      signal === null ? { code: 130, signal } : { code: null, signal: "SIGINT" },
    );
    while (living(child).length > 0) await after(10);
    const files = readdirSync(directory).filter(
      (name) =>
        !(name in inputs) && !["tmp", "cache"].includes(name) && command.keeps?.test(name) !== true,
    );
    expect(files).toEqual([]);
    // A build that was stopped has left no unit.
    const cache = join(directory, "cache", "rtl");
    const units = existsSync(cache) ? readdirSync(cache).filter((name) => /\.so$/.test(name)) : [];
    expect(units).toEqual([]);
    // A process that the system kills cannot remove its temporary directory.
    if (signal === null) expect(readdirSync(temporary)).toEqual([]);
    return took;
  });
}

/** Time limit of a test whose command never reaches its state. */
const longestMs = 500_000;

/** Waits until a command is in its state. @throws its output, if it ended before */
async function inState(child: ChildProcess, { says, runs }: LongCommand): Promise<void> {
  let said = "";
  let over = false;
  let late = false;
  let wake = (): void => undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    wake();
  });
  child.once("close", () => {
    over = true;
    wake();
  });
  void after(longestMs, undefined, { ref: false }).then(() => {
    late = true;
    wake();
  });
  const check = (): void => {
    if (late) throw new Error(`it is not in the state ${String(says)}: ${said}`);
    if (over) throw new Error(`it ended before it was in the state ${String(says)}: ${said}`);
  };
  while (!says.test(said)) {
    check();
    await new Promise<void>((resolve) => (wake = resolve));
  }
  while (runs !== undefined && !living(child).includes(runs)) {
    check();
    await after(5);
  }
}

/** Names of the processes of a child's group that are not dead. */
function living({ pid: group }: ChildProcess): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, "utf8");
        const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
        return Number(of) === group && state !== "Z" ? [name] : [];
      } catch {
        return []; // it has just ended
      }
    });
}
