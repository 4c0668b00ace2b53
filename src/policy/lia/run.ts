// SPDX-License-Identifier: Apache-2.0
// A whole request batch under LIA: prefill, then decode at the growing length, over all layers;
// optimisation 1 (layers resident in GPU memory) and 2 (transfers under compute). What a step takes
// is affine in the length while its policy stays, so all steps together take as long as as many at
// the mean length.

import { ratio, scale, seconds, sum, type Bytes, type Ratio, type Seconds } from "../../units.ts";
import { layerTime, type LayerTime, type LiaMachine, type PolicyBits } from "./cost.ts";
import { layerOf, sublayerWeights, weightBytes, type LayerShape, type Stage } from "./layer.ts";
import { optimum } from "./optimum.ts";

export interface LiaJob {
  readonly shape: LayerShape;
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

/** One phase over all layers and steps. */
export interface PhaseRun {
  readonly policy: PolicyBits;
  readonly time: LayerTime;
}

export interface LiaRun {
  readonly prefill: PhaseRun;
  readonly decode: PhaseRun;
  readonly total: Seconds;
  /** Both phases by resource. */
  readonly busy: LayerTime;
  /** Generated tokens a second. */
  readonly throughput: number;
}

const allGpu = 0;

/** Layers that fit in `free` bytes of GPU memory. */
export function residentLayers(free: Bytes, shape: LayerShape): number {
  return Math.max(0, Math.floor(free / weightBytes(shape)));
}

/**
 * The largest share of the weights of all layers that `free` bytes of GPU memory hold when kinds of sublayers are kept
 * there whole, each in every layer (FlexGen in LIA's section 5.2: QKV, output projection, FC1, FC2 of OPT are 3, 1, 4
 * and 4 twelfths).
 */
export function residentShare(free: Bytes, shape: LayerShape, layers: number): number {
  const kinds = sublayerWeights(shape);
  const all = weightBytes(shape);
  const sums = kinds.reduce<readonly number[]>(
    (known, kind) => [...known, ...known.map((held) => held + kind)],
    [0],
  );
  return Math.max(...sums.filter((held) => layers * held <= free)) / all;
}

/** Times of the job by phase and resource. */
export function runLia(machine: LiaMachine, job: LiaJob, options: LiaOptions): LiaRun {
  const { shape, batch, input, output } = job;
  const phase = (stage: Stage, length: number, steps: number): PhaseRun => {
    const layer = layerOf(shape, { stage, batch, length });
    const fixed = stage === "prefill" ? options.prefill : options.decode;
    const policy = fixed ?? optimum(machine, layer, "hidden").best.policy;
    const resident = Math.min(options.resident, job.layers);
    // A resident layer computes on the GPU and moves nothing.
    const { gpu } = layerTime(machine, layer, allGpu);
    const stays = { cpu: seconds(0), gpu, transfer: seconds(0) };
    const layers = add(
      times(layerTime(machine, layer, policy), job.layers - resident),
      times(stays, resident),
    );
    return { policy, time: times(layers, steps) };
  };
  const prefill = phase("prefill", input, 1);
  const decode = phase("decode", input + output / 2, output - 1);
  const total = sum(...[prefill, decode].map(({ time }) => elapsed(time, options.overlap)));
  return {
    prefill,
    decode,
    total,
    busy: add(prefill.time, decode.time),
    throughput: (batch * output) / total,
  };
}

/** The CPU waits for the GPU's results; only transfers hide (tables 4 and 5). */
function elapsed({ cpu, gpu, transfer }: LayerTime, overlap: boolean): Seconds {
  return overlap ? sum(cpu, seconds(Math.max(gpu, transfer))) : sum(cpu, gpu, transfer);
}

/** Power under load, and the share of it that an idle device draws. */
export interface Power {
  readonly cpuWatts: number;
  readonly gpuWatts: number;
  readonly idle: Ratio;
}

/** Joules a generated token: devices that are in the machine draw at least their idle power. */
export function energyPerToken({ total, busy }: LiaRun, job: LiaJob, power: Power): number {
  const drawn = (watts: number, active: Seconds): number => {
    const share = ratio(Math.min(1, active / total));
    return watts * total * (power.idle + (1 - power.idle) * share);
  };
  const joules = drawn(power.cpuWatts, busy.cpu) + drawn(power.gpuWatts, busy.gpu);
  return joules / (job.batch * job.output);
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
