// SPDX-License-Identifier: Apache-2.0
// Control-C of every long command, whenever it comes: the command ends with exit code 130 (or by the signal itself,
// which a shell shows as 130) before its work is done, leaves no file of its own and no process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/native/paths.ts";
import { inTemporary } from "../helpers/cli.ts";

const launcher = inRepository("src", "cli", "neardata.js");
const scenarioOf = (name: string): string => inRepository("scenarios", name);

const sweep = `
name: many
scenario: small.yaml
random: { count: 2000, seed: 1, of: { "ndp.queueBursts": [32, 64, 128, 256] } }
`;
const small = "name: small\nfidelity: cycle\nexpert: { hidden: 4096, intermediate: 2048 }\n";

const trace = [
  "TIMESTAMP,ContextTokens,GeneratedTokens",
  ...Array.from({ length: 200 }, () => "2023-11-16 18:15:46,1000,20"),
].join("\n");
const inputs = { "small.yaml": small, "sweep.yaml": sweep, "trace.csv": trace };

/** Each would take minutes. Files that it may leave are those from which it goes on. */
const commands: readonly (readonly [args: readonly string[], keeps?: RegExp])[] = [
  [["run", scenarioOf("main.yaml"), "--fidelity", "cycle", "--out", "out"]],
  [["watch", scenarioOf("attention-opt-13b.yaml"), "--no-area"]],
  [["sweep", "sweep.yaml", "--out", "many.duckdb"], /^many\.duckdb$/],
  [["explore", scenarioOf("explore-ndp.yaml"), "--out", "found.duckdb"], /^found\.duckdb$/],
  [["reproduce", "--out", "pages"]],
  [["reproduce", "trimoe", "--fidelity", "cycle"]],
  [["area", "ndp", "--out", "area.html"]],
  [["lm", "eval"]],
  [["lm", "token", "--steps", "512", "--timeline", "token.json"]],
  [["lm", "batch", "--trace", "trace.csv", "--requests", "200", "--page", "batch.html"]],
  [["lm", "shape", "qwen3-235b-a22b", "--timeline", "shape.json"]],
  [["bench", "--repeats", "1000"]],
  [["dram", "bench"]],
  [["prove"]],
];
/** Commands whose work is kept from run to run. */
const kept: readonly string[] = ["area", "prove"];
/** Before a command listens, and while it works. No command is over at the last. */
const moments = [60, 2500];

/** Processes of a group that are not dead. */
function living(group: number): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        const [state, , of] =
          readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
        return Number(of) === group && state !== "Z";
      } catch {
        return false;
      }
    });
}

async function interrupted(args: readonly string[], ms: number, keeps?: RegExp): Promise<void> {
  await inTemporary(async (directory) => {
    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(directory, name), text);
    const temporary = join(directory, "tmp");
    mkdirSync(temporary);
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd: directory,
      stdio: "ignore",
      // A group of its own, in which whatever it has started is found.
      detached: true,
      // Slices and proofs that are kept would be over before the signal.
      env: {
        ...process.env,
        TMPDIR: temporary,
        ...(kept.includes(args[0] ?? "") && { NEARDATA_CACHE: join(directory, "cache") }),
      },
    });
    const group = child.pid ?? 0;
    const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    await Promise.race([ended, after(ms, undefined, { ref: false })]);
    child.kill("SIGINT");
    const [code, signal] = await ended;
    expect({ code, signal }).toEqual(
      signal === null ? { code: 130, signal } : { code: null, signal: "SIGINT" },
    );
    while (living(group).length > 0) await after(10);
    const files = readdirSync(directory).filter(
      (name) =>
        ![...Object.keys(inputs), "tmp", "cache"].includes(name) && keeps?.test(name) !== true,
    );
    expect(files).toEqual([]);
    // What the system ends has no time to clear away its temporary directory.
    if (signal === null) expect(readdirSync(temporary)).toEqual([]);
  });
}

describe.skipIf(!existsSync(inRepository("build", "js", "cli", "main.js")))("Control-C", () => {
  describe.each(commands.map(([args, keeps]) => ({ args, keeps, name: args.join(" ") })))(
    "of $name",
    ({ args, keeps }) => {
      it.each(moments)("after %i ms", async (ms) => interrupted(args, ms, keeps));
    },
  );
});
