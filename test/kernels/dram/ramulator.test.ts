// SPDX-License-Identifier: Apache-2.0
// Our DDR5 channel against an installed Ramulator 2.0: the same commands in the same cycles, the same completions and
// the same counts, for any memory and any traffic.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { paperMachine } from "../../../src/machine/resolve/systems.ts";
import { prepareExpert, runExpert } from "../../../src/kernels/ndp/cold-expert.ts";
import type { NdpMachine, RankMemory } from "../../../src/machine/types.ts";
import type { MemoryBackend } from "../../../src/machine/dram/backends.ts";
import { openSession } from "../../../src/native/session.ts";
import { smallUnit } from "../../helpers/machines.ts";
import { firstDifference } from "./first-difference.ts";
import { dramCase } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";
import { needs } from "../../helpers/needs.ts";

const runs = Number(process.env["NEARDATA_FUZZ_RUNS"] ?? 60);
const seed = process.env["NEARDATA_FUZZ_SEED"];

describe("against Ramulator 2.0", needs("Ramulator 2.0"), () => {
  it("any memory does the same with any trace", async () => {
    const cases = dramCase({
      semantics: fc.constant("ramulator-2.0"),
      refresh: fc.constantFrom("AllBank", "None"),
      queues: fc.constant(32),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ config, trace }) => {
        const text = traceText(trace);
        const ours = await replayText(config, text);
        const theirs = await replayText(config, text, undefined, "ramulator2");
        expect(firstDifference(ours.commands, theirs.commands)).toBeUndefined();
        expect(firstDifference(ours.completions, theirs.completions)).toBeUndefined();
        expect(ours.totalCycles).toBe(theirs.totalCycles);
        expect(ours.channels).toEqual(theirs.channels);
      }),
      { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) },
    );
  });

  it("the NDP machine runs on either channel in the same cycles", async () => {
    const shape = { hidden: 96, intermediate: 80 };
    const matrix = (n: number): Uint16Array =>
      Uint16Array.from({ length: shape.hidden * shape.intermediate }, (_, i) => 0x3000 + i * n);
    const [gate, up, down] = [matrix(3), matrix(5), matrix(7)];
    const weights = { name: "expert", format: "fp16", ...shape, gate, up, down } as const;
    const runs = await Promise.all(
      (["native", "ramulator2"] as const).map(async (backend) => {
        const machine = smallMachine(backend);
        const session = await openSession(machine);
        const prepared = prepareExpert(machine, {
          weights,
          inputs: matrix(11).subarray(0, 3 * shape.hidden),
          activation: "silu",
          arrangement: "interleaved",
        });
        return runExpert(session, prepared, { keepCommands: 10_000 });
      }),
    );
    const [ours, theirs] = runs.map(({ outputs, run }) => {
      const { outcome, cycles, unit, streams, commands, result } = run;
      return { outputs, outcome, cycles, unit, streams, commands, result };
    });
    expect(ours?.outcome).toEqual({ kind: "completed" });
    expect(ours?.commands.length).toBeGreaterThan(100);
    expect(theirs).toEqual(ours);
  });

  it("says what Ramulator cannot be", async () => {
    const machine = smallMachine("ramulator2");
    const memory = { ...machine.memory, semantics: "jedec" } as const;
    await expect(openSession({ ...machine, memory })).rejects.toThrow(/ramulator-2\.0/);
  });
});

function smallMachine(backend: MemoryBackend): NdpMachine & { readonly memory: RankMemory } {
  const { memory, ...rest } = paperMachine("cycle");
  if ("ideal" in memory) throw new Error("the paper's machine has DDR5");
  return {
    ...rest,
    unit: smallUnit,
    memory: { ...memory, refreshPhase: "together", backend, semantics: "ramulator-2.0" },
  };
}
