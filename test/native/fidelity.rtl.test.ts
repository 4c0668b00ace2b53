// SPDX-License-Identifier: Apache-2.0
// The whole machine on the small unit: RTL = golden bit for bit, the cycle model = RTL cycle for
// cycle with the same counters, DRAM commands and values, whatever the shape and the pauses.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { hostPath, paperMachine } from "../../src/machine/resolve/systems.ts";
import { prepareExpert, runExpert, type ExpertRun } from "../../src/kernels/ndp/cold-expert.ts";
import type { NdpMachine, NdpRun, NdpSession } from "../../src/machine/types.ts";
import type { FloatFormat } from "../../src/golden/activation.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { openSession } from "../../src/native/session.ts";
import type { ExpertWeights } from "../../src/workload/expert.ts";
import { cycles } from "../../src/base/units.ts";
import { bitsOf, spoil } from "../helpers/float-bits.ts";
import { smallUnit } from "../helpers/machines.ts";
import { full, runs } from "../helpers/tier.ts";

const machine = (engine: "rtl" | "cycle"): NdpMachine => ({
  ...paperMachine(engine),
  unit: smallUnit,
});
const block = smallUnit.multipliersPerStream * smallUnit.lanes;

let rtl: NdpSession;
let twin: NdpSession;
let cycle: NdpSession;
beforeAll(async () => {
  rtl = await openSession(machine("rtl"));
  twin = await openSession(machine("rtl"));
  cycle = await openSession(machine("cycle"));
});

function expertOf(
  format: FloatFormat,
  hidden: number,
  middle: number,
  seed: number,
): ExpertWeights {
  const matrix = (n: number): Uint16Array => bitsOf(format, hidden * middle, seed * 3 + n);
  const [gate, up, down] = [matrix(0), matrix(1), matrix(2)];
  return { name: "random", format, hidden, intermediate: middle, gate, up, down };
}

/** The fields that must be equal in two models of one machine. */
function timingOf(run: NdpRun): object {
  const { outcome, cycles, unit, streams, bandwidth, activity, phases, commands } = run;
  const messages = run.machine.edges.map(({ from, to, messages: count }) => [from, to, count]);
  return { outcome, cycles, unit, streams, bandwidth, activity, phases, commands, messages };
}

const cases = fc.record({
  format: fc.constantFrom<FloatFormat>("fp16", "bf16"),
  activation: fc.constantFrom(
    "identity" as const,
    "relu" as const,
    "silu" as const,
    "gelu" as const,
  ),
  hidden: fc.integer({ min: 1, max: 130 }),
  middle: fc.integer({ min: 1, max: 100 }),
  tokens: fc.integer({ min: 1, max: 11 }),
  seed: fc.nat(1_000_000),
  specials: fc.constantFrom(0, 0, 1, 2),
  stalls: fc.option(
    fc.record({ seed: fc.nat(1_000_000), probability: fc.constantFrom(0.1, 0.5, 0.9) }),
    { nil: undefined },
  ),
});

test("rtl is golden bit for bit and cycle is rtl cycle for cycle", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (c) => {
      const weights = expertOf(c.format, c.hidden, c.middle, c.seed);
      const inputs = bitsOf(c.format, c.tokens * c.hidden, c.seed + 7);
      spoil(c.format, weights.gate, c.specials, c.seed);
      spoil(c.format, weights.down, c.specials, c.seed + 1);
      const task = {
        weights,
        inputs,
        activation: c.activation,
        arrangement: "interleaved",
      } as const;
      const prepared = prepareExpert(machine("rtl"), task);
      const options = {
        keepCommands: 1000,
        ...(c.stalls === undefined ? {} : { stalls: c.stalls }),
      };
      const real = await runExpert(rtl, prepared, options);
      expect(real.run.outcome).toEqual({ kind: "completed" });
      expect(real.outputs).toEqual(goldenExpert(weights, inputs, c.activation, block));
      const model = await runExpert(cycle, prepared, options);
      expect(timingOf(model.run)).toEqual(timingOf(real.run));
      expect(model.run.result).toEqual(real.run.result);
    }),
    { numRuns: runs(15, 40) },
  );
});

describe("a session", () => {
  const prepared = (): ReturnType<typeof prepareExpert> => {
    const weights = expertOf("fp16", 100, 60, 5);
    const inputs = bitsOf("fp16", 300, 6);
    return prepareExpert(machine("rtl"), {
      weights,
      inputs,
      activation: "silu",
      arrangement: "interleaved",
    });
  };

  test("gives the same run again, and beside another session", async () => {
    const { job } = prepared();
    const options = { stalls: { seed: 4, probability: 0.3 }, keepCommands: 500 };
    const [first, second] = await Promise.all([rtl.run(job, options), twin.run(job, options)]);
    const third = await rtl.run(job, options);
    expect(timingOf(second)).toEqual(timingOf(first));
    expect(timingOf(third)).toEqual(timingOf(first));
    expect(second.result).toEqual(first.result);
    expect(third.result).toEqual(first.result);
  });

  test("proves that the unit is quiet where it says so, and changes nothing by it", async () => {
    const { job } = prepared();
    for (const options of [{}, { stalls: { seed: 4, probability: 0.9 } }]) {
      const plain = await rtl.run(job, options);
      const checked = await rtl.run(job, { ...options, checked: true });
      expect(plain.outcome).toEqual({ kind: "completed" });
      expect(timingOf(checked)).toEqual(timingOf(plain));
      expect(checked.result).toEqual(plain.result);
    }
  });

  test("has the same cycles in both where ranks share their command bus", async () => {
    const { memory } = machine("cycle");
    if ("ideal" in memory) throw new TypeError("no DDR5");
    const { job } = prepared();
    const options = { keepCommands: 1000, stalls: { seed: 9, probability: 0.3 } };
    const runs = [];
    for (const engine of ["rtl", "cycle"] as const) {
      const session = await openSession({
        ...machine(engine),
        memory: { ...memory, commandBus: "shared" },
      });
      runs.push(await session.run(job, options));
      session.close();
    }
    const [real, model] = runs.map((run) => [timingOf(run), run.result]);
    expect(model).toEqual(real);
    const ndpRun = await cycle.run(job, options);
    expect(runs[1]?.commands).not.toEqual(ndpRun.commands);
  });

  test("runs its jobs one after another", async () => {
    const { job } = prepared();
    const [first, second] = await Promise.all([rtl.run(job), rtl.run(job)]);
    expect(timingOf(second)).toEqual(timingOf(first));
  });

  test("keeps an exact account of its cycles", async () => {
    const { unit, activity, cycles, bandwidth, streams, machine } = await rtl.run(prepared().job);
    const running = unit.phaseLoad + unit.phaseGateUp + unit.phaseDown;
    const stalled = unit.stallWeights + unit.stallOperand + unit.stallOutput;
    expect(activity.reduce((sum, s) => sum + s.busy, 0)).toBe(running - stalled);
    expect(activity.reduce((sum, s) => sum + s.length, 0)).toBe(running + unit.idle);
    expect(Math.abs(cycles - running)).toBeLessThanOrEqual(2);
    const bursts = streams.reduce((sum, s) => sum + s.readBursts, 0);
    expect(bandwidth.reduce((sum, s) => sum + s.bytes, 0)).toBe(64 * bursts);
    const writes = streams.reduce((sum, s) => sum + s.writeBursts, 0);
    const over = (message: string, to: string): number =>
      machine.edges
        .filter((e) => e.message === message && e.to.part.startsWith(to))
        .reduce((sum, { messages }) => sum + messages, 0);
    expect(over("read request", "sub-channel")).toBe(bursts);
    expect(over("read response", "NDP unit")).toBe(bursts);
    expect([over("write burst", "output router"), over("write request", "")]).toEqual([
      writes,
      writes,
    ]);
  });

  test("ends as cancelled when its signal says so, before or during the run", async () => {
    const cancelled = await rtl.run(prepared().job, { signal: AbortSignal.abort() });
    expect(cancelled.outcome.kind).toBe("cancelled");
    expect((await rtl.run(prepared().job)).outcome.kind).toBe("completed");
  });

  test("hands on what a progress function throws", async () => {
    // Long enough for progress: 1000 tokens.
    const weights = expertOf("fp16", 200, 100, 5);
    const inputs = bitsOf("fp16", 200 * 1000, 6);
    const task = { weights, inputs, activation: "silu", arrangement: "interleaved" } as const;
    const { job } = prepareExpert(machine("rtl"), task);
    const onProgress = (): void => {
      throw new Error("thrown by progress");
    };
    await expect(rtl.run(job, { onProgress })).rejects.toThrow("thrown by progress");
    expect((await rtl.run(prepared().job)).outcome.kind).toBe("completed");
  });

  test("reports a read beyond the rank, by sub-channel and burst", async () => {
    const { job } = prepared();
    const descriptor = job.descriptor.slice();
    descriptor[9] = 2 ** 31 - 1;
    for (const session of [rtl, cycle]) {
      const { outcome } = await session.run({ ...job, descriptor });
      expect(outcome).toMatchObject({
        kind: "guard-failed",
        place: "sub-channel 0",
        message: expect.stringMatching(/burst 2147483647 /) as unknown,
      });
    }
  });

  const refreshes = [
    ["AllBank", "staggered", 0.25],
    ["SameBank", "together", 0.6],
    ["AllBank", "together", 0],
    ["SameBank", "staggered", 0],
  ] as const;
  test.each(full ? refreshes : refreshes.slice(0, 2))(
    "refreshes alike in both: %s, %s from %d",
    async (refresh, refreshPhase, start) => {
      const { memory, ...rest } = machine("rtl");
      if (!("timing" in memory)) throw new Error("the paper's memory is DDR5");
      const phase = { refreshPhase, refreshStart: start };
      const ndpMachine: NdpMachine = { ...rest, memory: { ...memory, refresh, ...phase } };
      const weights = expertOf("fp16", 300, 260, 5);
      const task = { activation: "silu", arrangement: "interleaved" } as const;
      const prepared = prepareExpert(ndpMachine, {
        weights,
        inputs: bitsOf("fp16", 12 * 300, 6),
        ...task,
      });
      const runs: NdpRun[] = [];
      for (const engine of ["rtl", "cycle"] as const) {
        const session = await openSession({ ...ndpMachine, engine });
        runs.push((await runExpert(session, prepared, { keepCommands: 100_000 })).run);
        session.close();
      }
      const [real, model] = runs;
      if (real === undefined || model === undefined) throw new Error("no runs");
      expect(real.outcome).toEqual({ kind: "completed" });
      expect(timingOf(model)).toEqual(timingOf(real));
      const command = refresh === "SameBank" ? "REFsb" : "REFab";
      const [nREFI = 0, banks] = [memory.timing["nREFI"], memory.banksPerGroup];
      const interval = refresh === "SameBank" ? Math.floor(nREFI / 2 / banks) : nREFI;
      const first = real.streams.map(
        (_, stream) =>
          real.commands.find((c) => c.stream === stream && c.command === command)?.cycle ?? NaN,
      );
      // The first stream's refresh is due at the end of the current interval; if staggered, the
      // second stream's half an interval later or earlier.
      const apart = refreshPhase === "together" ? 0 : interval / 2;
      first.forEach((cycle, stream) => {
        const passed = (Math.floor(start * interval) + Math.floor(stream * apart)) % interval;
        expect(cycle).toBeGreaterThanOrEqual(interval - passed);
        expect(cycle).toBeLessThan(interval - passed + 400);
      });
      for (const { rankRefreshes, refreshesDue } of real.streams) {
        expect(refreshesDue).toBeGreaterThan(3);
        expect(rankRefreshes).toBe(refreshesDue);
      }
    },
  );

  test("takes jobs from a host alike in both, which finds every output", async () => {
    const weights = expertOf("fp16", 300, 260, 5);
    const inputs = bitsOf("fp16", 12 * 300, 6);
    const task = { weights, inputs, activation: "silu", arrangement: "interleaved" } as const;
    const runs: ExpertRun[] = [];
    for (const engine of ["rtl", "cycle"] as const) {
      for (const host of [{ host: hostPath }, {}]) {
        const ndpMachine: NdpMachine = { ...machine(engine), ...host };
        const session = await openSession(ndpMachine);
        runs.push(
          await runExpert(session, prepareExpert(ndpMachine, task), { keepCommands: 100_000 }),
        );
        session.close();
      }
    }
    const [real, there, model] = runs;
    if (real === undefined || model === undefined) throw new Error("no runs");
    expect(real.run.outcome).toEqual({ kind: "completed" });
    expect(timingOf(model.run)).toEqual(timingOf(real.run));
    expect(model.run.atHost).toEqual(real.run.atHost);
    expect(there?.run.atHost).toBeNull();
    expect(real.outputs).toEqual(there?.outputs);
    const at = real.run.atHost;
    if (at === null) throw new Error("the host has no outputs");
    // A rank on each of two sub-channels: the bytes of one at 32 pins of 4.8 Gb/s.
    const { input, output } = prepareExpert(machine("cycle"), task).layout;
    const onBus = (bursts: number): number => ((bursts * 512) / 32 / 4.8e9) * 1e15;
    expect(at.inputs).toBeGreaterThan(onBus(12 * input.stride));
    expect(at.commanded - at.inputs).toBeGreaterThan(hostPath.command * 1e15 + onBus(2));
    expect(at.seen - at.ended).toBeLessThan((hostPath.command + hostPath.poll) * 1e15 + 25e6);
    expect(at.outputs - at.seen).toBeGreaterThan(onBus(12 * output.stride));
    expect(real.run.time).toBe(at.ended - at.commanded);
  });

  test("catches a DDR5 model that is faster than its pins", async () => {
    const honest = machine("cycle");
    if (!("timing" in honest.memory)) throw new Error("the paper's memory is DDR5");
    const timing = { ...honest.memory.timing, nBL: cycles(4) };
    const planted = await openSession({ ...honest, memory: { ...honest.memory, timing } });
    const { outcome } = await planted.run(prepared().job);
    expect(outcome).toMatchObject({ kind: "guard-failed" });
    expect(JSON.stringify(outcome)).toMatch(/sub-channel \d read (bus|latency)/);
  });

  test("stops at the job's cycle limit", async () => {
    const { job } = prepared();
    const limited = await rtl.run({ ...job, maxCycles: cycles(100) });
    expect(limited.outcome.kind).toBe("cycle-limit");
  });

  test("is of no use after close", async () => {
    const session = await openSession(machine("cycle"));
    session.close();
    session.close();
    await expect(session.run(prepared().job)).rejects.toMatchObject({ code: "misuse" });
  });
});
