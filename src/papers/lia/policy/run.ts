// SPDX-License-Identifier: Apache-2.0
// A whole request batch under LIA: prefill, then decode at the growing length, over all layers;
// optimisation 1 (layers resident in GPU memory) and 2 (transfers under compute). The time of a
// step is affine in the length while its policy does not change, so the sum over all steps equals
// their number times the time at the mean length.

import {
  bytes,
  ratio,
  scale,
  seconds,
  sum,
  type Bytes,
  type Ratio,
  type Seconds,
} from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { layerTime, sublayerTimes, type LayerTime, type PolicyBits } from "../model/cost.ts";
import { type LiaMachine } from "../../experiment/machines.ts";
import {
  layerOf,
  sublayerWeights,
  type Layer,
  type LayerShape,
  type Stage,
} from "../model/layer.ts";
import { optimum } from "./optimum.ts";

export interface LiaJob {
  readonly shape: LayerShape;
  readonly layers: number;
  readonly batch: number;
  readonly input: number;
  readonly output: number;
  /** Bytes of embeddings and output matrix; not counted if absent. */
  readonly embeddings?: Bytes;
}

/** How a job is run. A fixed policy replaces the optimum. */
export interface LiaOptions {
  readonly prefill?: PolicyBits;
  readonly decode?: PolicyBits;
  /** Whole layers in GPU memory, which compute there without loads (optimisation 1). */
  readonly resident: number;
  /**
   * Sublayers (0 to 5) whose weights are in GPU memory in every layer: the GPU loads none for them.
   */
  readonly residentSublayers?: readonly number[];
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
  /** Generated tokens per second. */
  readonly throughput: number;
}

const allGpu = 0;
/** Sublayers with weights, in the order of `sublayerWeights`. */
const withWeights = [0, 3, 4, 5] as const;

/** Layers of so many bytes that fit in `free` bytes. */
export function residentLayers(free: Bytes, perLayer: Bytes): number {
  return Math.max(0, Math.floor(free / perLayer));
}

/** Kinds of sublayers whose weights of all layers are in GPU memory. */
export interface ResidentKinds {
  /** Numbers of the sublayers, 0 to 5. */
  readonly kinds: readonly number[];
  /** Bytes of one layer. */
  readonly bytes: Bytes;
}

/**
 * The set of kinds with most weights that fits in `free` bytes of GPU memory, each in every layer
 * (FlexGen in LIA's section 5.2: QKV, output projection, FC1, FC2 of OPT are 3, 1, 4 and 4
 * twelfths).
 */
export function residentKinds(free: Bytes, shape: LayerShape, layers: number): ResidentKinds {
  const weights = sublayerWeights(shape);
  const sets = weights.reduce<readonly ResidentKinds[]>(
    (known, kind, i) => [
      ...known,
      ...known.map((set) => ({
        kinds: [...set.kinds, present(withWeights[i])],
        bytes: bytes(set.bytes + kind),
      })),
    ],
    [{ kinds: [], bytes: bytes(0) }],
  );
  return sets
    .filter((set) => layers * set.bytes <= free)
    .reduce((best, set) => (set.bytes > best.bytes ? set : best));
}

/** Times of the job by phase and resource. */
export function runLia(machine: LiaMachine, job: LiaJob, options: LiaOptions): LiaRun {
  const { shape, batch, input, output } = job;
  const phase = (stage: Stage, length: number, steps: number): PhaseRun => {
    const layer = layerOf(shape, { stage, batch, length });
    const fixed = stage === "prefill" ? options.prefill : options.decode;
    const policy = fixed ?? optimum(machine, layer, "hidden").best.policy;
    const resident = Math.min(options.resident, job.layers);
    // A resident layer computes on the GPU without transfers.
    const { gpu } = layerTime(machine, layer, allGpu);
    const stays = { cpu: seconds(0), gpu, transfer: seconds(0) };
    const streamed = withoutLoads(machine, layer, policy, options.residentSublayers ?? []);
    const layers = add(times(streamed, job.layers - resident), times(stays, resident));
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

/** A layer's time if the GPU stores the weights of some sublayers. */
function withoutLoads(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  residentSublayers: readonly number[],
): LayerTime {
  const { cpu, gpu, transfer } = layerTime(machine, layer, policy);
  if (residentSublayers.length === 0) return { cpu, gpu, transfer };
  const spared = sublayerTimes(machine, layer, policy).filter((_, i) =>
    residentSublayers.includes(i),
  );
  const loads = sum(seconds(0), ...spared.map(({ loadY }) => loadY));
  return { cpu, gpu, transfer: seconds(Math.max(0, transfer - loads)) };
}

/** The CPU waits for the GPU's results; only transfers hide (tables 4 and 5). */
function elapsed({ cpu, gpu, transfer }: LayerTime, overlap: boolean): Seconds {
  return overlap ? sum(cpu, seconds(Math.max(gpu, transfer))) : sum(cpu, gpu, transfer);
}

/** Power under load, and the share of it for an idle device. */
export interface Power {
  readonly cpuWatts: number;
  readonly gpuWatts: number;
  readonly idle: Ratio;
  /** Whether the CPU's threads spin while they wait, at its power under load. */
  readonly spins?: boolean;
  /** Power of boards, memory and fans; not counted if absent. */
  readonly baseWatts?: number;
}

/** Joules a generated token: devices that are in the machine draw at least their idle power. */
export function energyPerToken({ total, busy }: LiaRun, job: LiaJob, power: Power): number {
  const drawn = (watts: number, active: Seconds): number => {
    const share = ratio(Math.min(1, active / total));
    return watts * total * (power.idle + (1 - power.idle) * share);
  };
  const { spins = false, baseWatts = 0 } = power;
  const cpu = drawn(power.cpuWatts, spins ? total : busy.cpu);
  const joules = cpu + drawn(power.gpuWatts, busy.gpu) + baseWatts * total;
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
