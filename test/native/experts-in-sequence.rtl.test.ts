// SPDX-License-Identifier: Apache-2.0
// Experts behind one another on one DIMM whose unit has two descriptors at work: RTL = golden bit for bit,
// the cycle model = RTL cycle for cycle, and the run is shorter than with one at work.

import { afterAll, beforeAll, expect, test } from "vitest";

import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { prepareExpert, type PreparedExpert } from "../../src/kernels/ndp/cold-expert.ts";
import { unpackOutputs } from "../../src/workload/ndp/pack.ts";
import type { NdpJob, NdpMachine, NdpRun, NdpSession } from "../../src/machine/types.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { openSession } from "../../src/native/session.ts";
import { cycles } from "../../src/base/units.ts";
import { bitsOf } from "../helpers/float-bits.ts";
import { smallUnit } from "../helpers/machines.ts";

const machine = (engine: "rtl" | "cycle", descriptors: number): NdpMachine => ({
  ...paperMachine(engine),
  unit: { ...smallUnit, descriptors },
});
const block = smallUnit.multipliersPerStream * smallUnit.lanes;
/** Bursts of each expert's region. */
const region = 1 << 12;
const burstBytes = 64;

/** Shapes whose layouts are the same, smaller and larger than that of the expert before. */
const shapes = [
  { hidden: 100, intermediate: 60, tokens: 3 },
  { hidden: 100, intermediate: 60, tokens: 3 },
  { hidden: 40, intermediate: 30, tokens: 1 },
  { hidden: 130, intermediate: 90, tokens: 8 },
] as const;
const experts = shapes.map(({ hidden, intermediate, tokens }, i) => {
  const matrix = (n: number): Uint16Array => bitsOf("fp16", hidden * intermediate, 3 * i + n);
  const [gate, up, down] = [matrix(0), matrix(1), matrix(2)];
  return {
    weights: { name: "e", format: "fp16" as const, hidden, intermediate, gate, up, down },
    inputs: bitsOf("fp16", tokens * hidden, i + 50),
  };
});

function prepared(engine: "rtl" | "cycle", descriptors: number): readonly PreparedExpert[] {
  return experts.map((expert) =>
    prepareExpert(machine(engine, descriptors), {
      ...expert,
      activation: "silu",
      arrangement: "interleaved",
    }),
  );
}

/** All of them as one job, each in its region. */
function together(parts: readonly PreparedExpert[]): NdpJob {
  const words = parts.flatMap(({ job }, i) => {
    const descriptor = job.descriptor.slice();
    for (const word of [7, 9, 10, 12, 14]) {
      descriptor[word] = (descriptor[word] ?? 0) + i * region;
    }
    return Array.from(descriptor);
  });
  return {
    descriptor: Uint32Array.from(words),
    streams: Array.from({ length: smallUnit.streams }, (_, s) =>
      parts.flatMap(({ job }, i) =>
        (job.streams[s] ?? []).map((piece) => ({ ...piece, burst: piece.burst + i * region })),
      ),
    ),
    result: { burst: 0, bursts: parts.length * region },
    maxCycles: cycles(10_000_000),
  };
}

function fail(): never {
  throw new Error("an expert is missing");
}

const opened: NdpSession[] = [];
async function run(engine: "rtl" | "cycle", descriptors: number): Promise<NdpRun> {
  const session = await openSession(machine(engine, descriptors));
  opened.push(session);
  return session.run(together(prepared(engine, descriptors)), {
    stalls: { seed: 3, probability: 0.1 },
  });
}

let one: NdpRun;
let real: NdpRun;
let model: NdpRun;
beforeAll(async () => {
  one = await run("rtl", 1);
  real = await run("rtl", 2);
  model = await run("cycle", 2);
});
afterAll(() => {
  for (const session of opened) session.close();
});

test("values are those of each expert alone", () => {
  for (const { outcome, result } of [one, real, model]) {
    expect(outcome).toEqual({ kind: "completed" });
    const parts = prepared("rtl", 2);
    for (const [i, { weights, inputs }] of experts.entries()) {
      const [{ layout, job } = fail()] = parts.slice(i);
      const first = (i * region + job.result.burst) * burstBytes;
      const own = result.map((bytes) => bytes.slice(first, first + job.result.bursts * burstBytes));
      expect(unpackOutputs(layout, own)).toEqual(goldenExpert(weights, inputs, "silu", block));
    }
  }
});

test("the cycle model is the RTL, and both are faster than with one at work", () => {
  const timing = ({ time, cycles: first, unit, streams, phases }: NdpRun): object => ({
    time,
    first,
    unit,
    streams,
    phases,
  });
  expect(timing(model)).toEqual(timing(real));
  expect(real.time).toBeLessThan(one.time);
});
