// SPDX-License-Identifier: Apache-2.0
// A whole request batch under LIA: prefill, then one decode layer time a step at the growing length,
// over all layers; optimisation 1 (layers resident in GPU memory) and 2 (transfers under compute).

import { scale, seconds, sum, type Bytes, type Seconds } from "../../units.ts";
import { layerTime, type LayerTime, type LiaMachine, type PolicyBits } from "./cost.ts";
import { decoderLayer, type Stage } from "./layer.ts";
import { optimum } from "./optimum.ts";

export interface LiaJob {
  /** Model width. */
  readonly width: number;
  readonly layers: number;
  readonly batch: number;
  readonly input: number;
  readonly output: number;
}

/** How a job is run. A fixed policy replaces the optimum. */
export interface LiaOptions {
  readonly prefill?: PolicyBits;
  readonly decode?: PolicyBits;
  /** Whole layers in GPU memory; they compute there and load nothing (optimisation 1). */
  readonly resident: number;
  /** Whether transfers hide under GPU compute (optimisation 2). */
  readonly overlap: boolean;
}

export interface LiaRun {
  readonly prefill: LayerTime;
  readonly decode: LayerTime;
  readonly total: Seconds;
}

const none: LayerTime = { cpu: seconds(0), gpu: seconds(0), transfer: seconds(0) };
const allGpu = 0;

/** Layers that fit in `free` bytes of GPU memory: floor(free / 24 d^2). */
export function residentLayers(free: Bytes, width: number): number {
  return Math.max(0, Math.floor(free / (24 * width ** 2)));
}

/** Times of the job by phase and resource. */
export function runLia(machine: LiaMachine, job: LiaJob, options: LiaOptions): LiaRun {
  const phase = (stage: Stage, length: number): LayerTime => {
    const layer = decoderLayer({ stage, width: job.width, batch: job.batch, length });
    const fixed = stage === "prefill" ? options.prefill : options.decode;
    const policy = fixed ?? optimum(machine, layer, "hidden").best.policy;
    const resident = Math.min(options.resident, job.layers);
    const home = layerTime(machine, layer, allGpu);
    // A resident layer computes on the GPU and moves nothing.
    const stays: LayerTime = { cpu: seconds(0), gpu: home.gpu, transfer: seconds(0) };
    return add(
      times(layerTime(machine, layer, policy), job.layers - resident),
      times(stays, resident),
    );
  };
  const prefill = phase("prefill", job.input);
  const steps = Array.from({ length: job.output - 1 }, (_, i) =>
    phase("decode", job.input + i + 1),
  );
  const decode = steps.reduce(add, none);
  const total = (t: LayerTime): Seconds =>
    options.overlap
      ? sum(t.cpu, seconds(Math.max(t.gpu, t.transfer)))
      : sum(t.cpu, t.gpu, t.transfer);
  return { prefill, decode, total: sum(total(prefill), total(decode)) };
}

function add(a: LayerTime, b: LayerTime): LayerTime {
  return {
    cpu: sum(a.cpu, b.cpu),
    gpu: sum(a.gpu, b.gpu),
    transfer: sum(a.transfer, b.transfer),
  };
}

function times(t: LayerTime, n: number): LayerTime {
  return { cpu: scale(t.cpu, n), gpu: scale(t.gpu, n), transfer: scale(t.transfer, n) };
}
