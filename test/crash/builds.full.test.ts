// SPDX-License-Identifier: Apache-2.0
// Builds of RTL and explorations that are killed at moments from a seed, part of `make crash`: the
// next one ends as if nothing had been.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { randomStream } from "../../src/base/random.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { crashSeed } from "../helpers/crash.ts";
import { needs } from "../helpers/needs.ts";

const kills = 8;

/** Starts Node and kills it after a share of `whole` milliseconds that the seed determines. */
async function killed(
  args: readonly string[],
  turn: number,
  whole: number,
  cache: string,
): Promise<void> {
  const share = (randomStream(crashSeed, "moments of builds").bits(turn) % 1000) / 1000;
  const env = { ...process.env, NEARDATA_CACHE: cache };
  const child = spawn(process.execPath, args, { stdio: "ignore", env });
  const ended = once(child, "exit");
  await Promise.race([ended, after(share * whole, undefined, { ref: false })]);
  child.kill("SIGKILL");
  await ended;
}

describe(`what is killed (seed ${crashSeed})`, needs("make crash"), () => {
  it("while a unit is built leaves a cache that the next build fills", () =>
    inTemporary(async (directory) => {
      writeFileSync(
        join(directory, "counter.sv"),
        "module counter (input logic clk_i, output logic [7:0] count_o);\n" +
          "  always_ff @(posedge clk_i) count_o <= count_o + 1'b1;\nendmodule\n",
      );
      writeFileSync(
        join(directory, "main.cc"),
        '#include "Vcounter.h"\n#include <cstdio>\n' +
          'int main() { VerilatedContext c; Vcounter m{&c}; std::printf("runs"); }\n',
      );
      const build = {
        top: "counter",
        parameters: {},
        kind: "executable",
        trace: false,
        optimise: "-O0",
        sources: [join(directory, "counter.sv")],
        harness: [join(directory, "main.cc")],
      };
      const script = `
        const { verilate } = await import(${JSON.stringify(inRepository("build", "js", "native", "unit", "verilate.js"))});
        console.log(await verilate(${JSON.stringify(build)}));`;
      const args = ["--input-type=module", "-e", script];
      const cache = join(directory, "cache");
      const environment = { ...process.env, NEARDATA_CACHE: cache };
      const run = (): string =>
        execFileSync(process.execPath, args, { env: environment, encoding: "utf8" }).trim();
      const begin = performance.now();
      expect(execFileSync(run(), { encoding: "utf8" })).toBe("runs");
      const whole = performance.now() - begin;
      for (let turn = 0; turn < kills; turn += 1) {
        execFileSync("rm", ["-rf", cache]);
        await killed(args, turn, whole, cache);
        const rtl = join(cache, "rtl");
        const kept = existsSync(rtl) ? readdirSync(rtl).filter((n) => n.startsWith("counter")) : [];
        for (const name of kept)
          expect(execFileSync(join(rtl, name), { encoding: "utf8" })).toBe("runs");
        expect(execFileSync(run(), { encoding: "utf8" })).toBe("runs");
        expect(readdirSync(rtl).filter((name) => name.startsWith("."))).toEqual([]);
      }
    }));

  it("during an exploration continues to the same front", () =>
    inTemporary(async (directory) => {
      const unit =
        "{ streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }";
      writeFileSync(
        join(directory, "base.yaml"),
        `name: base\nexpert: { hidden: 70, intermediate: 37 }\ntokens: [1]\nndp: ${unit}\n`,
      );
      const spec = join(directory, "e.yaml");
      writeFileSync(
        spec,
        "name: e\nscenario: base.yaml\nunit: ndp\nspace: { ndp.queueBursts: [8, 16] }\n",
      );
      const cache = process.env["NEARDATA_CACHE"] ?? inRepository("build", "cache");
      const args = (name: string): readonly string[] => [
        ...["explore", spec, "--resume", "--json", "--out", join(directory, `${name}.duckdb`)],
      ];
      const front = (text: string): unknown => (JSON.parse(text) as { front: unknown }).front;
      await cli(...args("warm")); // builds what is not in the cache
      const begin = performance.now();
      const calm = await cli(...args("calm"));
      const whole = performance.now() - begin;
      const launcher = inRepository("src", "cli", "neardata.js");
      for (let turn = 0; turn < kills; turn += 1) {
        await killed([launcher, ...args("killed")], turn, whole, cache);
      }
      const last = await cli(...args("killed"));
      expect(last.code).toBe(calm.code);
      expect(front(last.stdout)).toEqual(front(calm.stdout));
      expect(readFileSync(join(directory, "killed.html"), "utf8").trimEnd()).toMatch(/<\/html>$/);
      expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([]);
    }));
});
