// SPDX-License-Identifier: Apache-2.0
// What simulated hardware did for an evaluation: jobs, cycles, times, and whether its values are those
// of the golden model. Two fidelities that agree in every time of every job have one digest.

import { createHash } from "node:crypto";
import type { AttentionEngine } from "../../kernels/csd/attention/attention-request.ts";
import type { CsdRun, OpenCsdSession } from "../../machine/csd/csd-types.ts";
import type { Check } from "../../results/metric.ts";
import type { Cycles, Femtoseconds } from "../../base/units.ts";

/** One run: its clock cycles and simulated time, and all times of each of its jobs. */
export interface HardwareRun {
  readonly cycles: Cycles;
  readonly time: Femtoseconds;
  readonly jobs: readonly (readonly number[])[];
}

/** Sums over the runs of one kind of hardware. */
export interface HardwareTotals {
  readonly runs: number;
  readonly jobs: number;
  readonly cycles: number;
  readonly timeUs: number;
  /** SHA-256 of every time of every job, in order. */
  readonly timesDigest: string;
}

/** Accumulates counters of the hardware. */
export interface HardwareUse {
  readonly add: (run: HardwareRun) => void;
  /** Values of the hardware and of the golden model. */
  readonly compare: (simulated: ArrayLike<number>, golden: ArrayLike<number>) => void;
  readonly totals: () => HardwareTotals;
  readonly check: () => Check;
}

const femtosecondsPerUs = 1e9;

/** Nothing done yet; `what` names the hardware's results in a sentence. */
export function hardwareUse(id: string, what: string): HardwareUse {
  const digest = createHash("sha256");
  const sums = { runs: 0, jobs: 0, cycles: 0, time: 0, values: 0, different: 0 };
  return {
    add: ({ cycles, time, jobs }) => {
      sums.runs += 1;
      sums.jobs += jobs.length;
      sums.cycles += cycles;
      sums.time += time;
      digest.update(Float64Array.of(cycles, time, ...jobs.flat()));
    },
    compare: (actual, golden) => {
      const values = Math.max(actual.length, golden.length);
      sums.values += values;
      for (let i = 0; i < values; i += 1) {
        if (!Object.is(actual[i], golden[i])) sums.different += 1;
      }
    },
    totals: () => ({
      runs: sums.runs,
      jobs: sums.jobs,
      cycles: sums.cycles,
      timeUs: sums.time / femtosecondsPerUs,
      timesDigest: digest.copy().digest("hex"),
    }),
    check: () => ({
      id,
      title: `${what} equal the golden model bit for bit`,
      pass: sums.different === 0,
      detail: `${sums.different} of ${sums.values} values differ`,
    }),
  };
}

/** A run of storage devices: cycles and time of each, and its jobs once. */
export function addCsdRun(use: HardwareUse, { devices, jobs }: CsdRun): void {
  const times = jobs.map((job) => [job.sent, job.taken, job.done, job.received]);
  devices.forEach(({ cycles, time }, device) => {
    use.add({ cycles, time, jobs: device === 0 ? times : [] });
  });
}

/**
 * Sessions that record their runs in `use`: the times at which each job was sent, accepted,
 * finished and received.
 */
export function observedCsds(open: OpenCsdSession, use: HardwareUse): OpenCsdSession {
  return async (machine) => {
    const session = await open(machine);
    return {
      ...session,
      run: async (jobs, options) => {
        const csdRun = await session.run(jobs, options);
        addCsdRun(use, csdRun);
        return csdRun;
      },
    };
  };
}

/** An engine whose outputs are compared with those of `golden`. */
export function comparedAttention(
  engine: AttentionEngine,
  golden: AttentionEngine,
  use: HardwareUse,
): AttentionEngine {
  return {
    name: engine.name,
    attend: async (requests) => {
      const attentionAnswers = await engine.attend(requests);
      const wanted = await golden.attend(requests);
      attentionAnswers.forEach(({ out, dims, tokens }, i) => {
        const other = wanted[i];
        use.compare(out, other?.out ?? []);
        use.compare(dims, other?.dims ?? []);
        use.compare(tokens, other?.tokens ?? []);
      });
      return attentionAnswers;
    },
  };
}
