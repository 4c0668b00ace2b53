// SPDX-License-Identifier: Apache-2.0
// The cold-expert kernel: one expert on one NDP DIMM, from one descriptor.

import { inputError } from "../../base/errors.ts";
import type { ActivationFunction, GateFunction } from "../../golden/names.ts";
import { repeatsOfAll } from "../../golden/low-bit.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { capacityIssue, cycleLimit, layOutExpert } from "../../workload/ndp/layout.ts";
import type { ExpertLayout, LowBitShape } from "../../workload/ndp/layout.ts";
import type { Arrangement } from "../../machine/arrangement.ts";
import {
  packExpert,
  resultRange,
  unpackOutputs,
  type WeightImages,
} from "../../workload/ndp/pack.ts";
import type { NdpJob, NdpMachine, NdpRun, NdpSession, RunOptions } from "../../machine/types.ts";

/** An expert with its inputs, and the layout of its weights in memory. */
export interface ExpertTask {
  readonly weights: ExpertWeights | LowBitWeights;
  /** [tokens][hidden] bits. */
  readonly inputs: Uint16Array;
  readonly activation: ActivationFunction | GateFunction;
  readonly arrangement: Arrangement;
  /** Cache of packed images of the same weights; missing images are packed and added. */
  readonly images?: WeightImages | undefined;
}

/** A task on a machine, ready to run as often as wanted. */
export interface PreparedExpert {
  readonly layout: ExpertLayout;
  readonly job: NdpJob;
}

export interface ExpertRun {
  readonly run: NdpRun;
  /** [tokens][hidden] bits; null where the run did not end. */
  readonly outputs: Uint16Array | null;
}

/**
 * Makes the layout and the job of `task` on `machine`.
 * @throws NeardataError `bad-input` if the buffer or the ranks are too small.
 */
export function prepareExpert(machine: NdpMachine, task: ExpertTask): PreparedExpert {
  const { weights, inputs } = task;
  const layout = placeExpert(machine, { ...task, tokens: inputs.length / weights.hidden });
  let job: NdpJob | null = null;
  return {
    layout,
    // Packed at the first access: a caller that reads the layout alone needs no bytes.
    get job() {
      job ??= {
        descriptor: layout.descriptor,
        streams: packExpert(layout, weights, inputs, task.images),
        result: resultRange(layout),
        maxCycles: cycleLimit(machine, layout),
      };
      return job;
    },
  };
}

/** The layout alone, for a closed form, which needs no values. */
export function placeExpert(
  machine: NdpMachine,
  task: Omit<ExpertTask, "inputs"> & { readonly tokens: number },
): ExpertLayout {
  const { weights, tokens, activation, arrangement } = task;
  const { hidden, intermediate, format } = weights;
  const { lanes, multipliersPerStream } = machine.unit;
  const outputs = outputsOf(weights);
  const shape = {
    hidden,
    ...(outputs === hidden ? {} : { outputs }),
    intermediate,
    tokens,
    format,
    activation,
    ...("storage" in weights ? { lowBit: lowBitShape(weights, lanes * multipliersPerStream) } : {}),
  };
  const layout = layOutExpert(machine.unit, shape, arrangement);
  const room = capacityIssue(machine, layout);
  if (room !== null) throw inputError(room.where, room.message);
  return layout;
}

/** Rows of down: fewer than inputs where columns of biases are among these. */
function outputsOf(weights: ExpertWeights | LowBitWeights): number {
  return "storage" in weights ? weights.down.rows : weights.down.length / weights.intermediate;
}

function lowBitShape({ storage, gate, up, down }: LowBitWeights, block: number): LowBitShape {
  return {
    format: storage,
    gateUpRepeats: repeatsOfAll([gate, up], block),
    downRepeats: repeatsOfAll([down], block),
    factors: { gate: gate.factor ?? 1, up: up.factor ?? 1, down: down.factor ?? 1 },
  };
}

/** Runs a prepared expert on a session of the machine that it was prepared for. */
export async function runExpert(
  session: NdpSession,
  prepared: PreparedExpert,
  options: RunOptions = {},
): Promise<ExpertRun> {
  const run = await session.run(prepared.job, options);
  const hasValues = run.outcome.kind === "completed";
  return { run, outputs: hasValues ? unpackOutputs(prepared.layout, run.result) : null };
}
