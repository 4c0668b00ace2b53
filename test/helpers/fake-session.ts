// SPDX-License-Identifier: Apache-2.0
// A session without hardware: it reads the job as the unit does, computes the golden outputs and
// hands them back, with a fault where a test wants one.

import type {
  NdpRun,
  NdpUnitParameters,
  OpenSession,
  RunOutcome,
} from "../../src/machine/types.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { bytes, cycles, femtoseconds, seconds } from "../../src/base/units.ts";
import { readExpertJob } from "./descriptor.ts";
import { twoParts } from "./machines.ts";

export interface Fault {
  readonly outcome?: RunOutcome;
  /** Invert the lowest bit of this output value. */
  readonly flip?: number;
  readonly cycles?: number;
}

/** Opens such sessions; `waveforms` collects the requested waveforms. */
export function fakeSessions(
  fault: Fault = {},
  waveforms: { readonly path: string; readonly from: number }[] = [],
): OpenSession {
  return (machine) =>
    Promise.resolve({
      describe: () => ({ clocks: [], parts: [], edges: [] }),
      close: () => undefined,
      run: (job, options = {}) => {
        if (options.waveform !== undefined) waveforms.push(options.waveform);
        const seen = readExpertJob(machine.unit, job.descriptor, job.streams);
        const hidden = job.descriptor[6] ?? 0;
        const expert = { ...seen, hidden, intermediate: job.descriptor[4] ?? 0 };
        const block = machine.unit.multipliersPerStream * machine.unit.lanes;
        const outputs = goldenExpert(expert, seen.inputs, seen.activation, block);
        if (fault.flip !== undefined) outputs[fault.flip] = (outputs[fault.flip] ?? 0) ^ 1;
        const images = write(machine.unit, job.result.bursts, outputs, hidden, seen.outStride);
        return Promise.resolve(runOf(images, fault, machine.unit.streams));
      },
    });
}

function write(
  unit: NdpUnitParameters,
  bursts: number,
  outputs: Uint16Array,
  hidden: number,
  stride: number,
): readonly Uint8Array[] {
  const images = Array.from({ length: unit.streams }, () => new Uint16Array(bursts * 32));
  outputs.forEach((value, i) => {
    const q = Math.floor((i % hidden) / 32);
    const burst = Math.floor(i / hidden) * stride + Math.floor(q / unit.streams);
    images[q % unit.streams]?.set([value], burst * 32 + ((i % hidden) % 32));
  });
  return images.map((image) => new Uint8Array(image.buffer));
}

/** A run of `streams` without work. */
export function runOf(result: readonly Uint8Array[], fault: Fault, streams: number): NdpRun {
  const length = fault.cycles ?? 1000;
  const none = cycles(0);
  return {
    outcome: fault.outcome ?? { kind: "completed" },
    cycles: cycles(length),
    time: femtoseconds(length * 1e6),
    atHost: null,
    unit: {
      slots: 1,
      weightSlots: 1,
      stallWeights: none,
      stallOperand: none,
      stallOutput: none,
      activationBatches: 1,
      activationBusy: none,
      inputBursts: 1,
      outputBursts: 1,
      idle: none,
      passes: 1,
      phaseDown: none,
      phaseLoad: none,
      phaseGateUp: none,
    },
    streams: Array.from({ length: streams }, () => ({
      readBursts: 10,
      writeBursts: 1,
      rowHits: 9,
      rowMisses: 1,
      rowConflicts: 0,
      activates: 1,
      precharges: 0,
      refreshes: 0,
      rankRefreshes: 0,
      refreshesDue: 0,
      rankManagements: 0,
      refreshCycles: none,
      busCycles: cycles(80),
      openBankCycles: 1000,
    })),
    result,
    bandwidth: [{ start: femtoseconds(0), length: femtoseconds(1e9), bytes: bytes(640) }],
    activity: [],
    phases: [{ phase: "down", begin: cycles(100_000), end: cycles(200_000) }],
    commands: [],
    machine: twoParts,
    host: { rtl: seconds(0), memory: seconds(0), engine: seconds(0), total: seconds(0) },
  };
}
