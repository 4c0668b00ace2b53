// SPDX-License-Identifier: Apache-2.0
// FlexGen's cost model, in two variants. `paper`: appendix A.3 as printed. `runtime`: the released
// cost model, whose rates depend on the kind of transfer and the phase. Every time is affine in the nine
// shares of a placement, as are the bytes of memory.ts, which makes the search a linear program.

import {
  bytes,
  bytesPerSecond,
  flops,
  sum,
  transferTime,
  computeTime,
  type Bytes,
  type BytesPerSecond,
  type FlopsPerSecond,
  type Seconds,
} from "../../../base/units.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";

export type Variant = "paper" | "runtime";

/** A model in the form of the cost model. */
export interface FlexGenModel {
  readonly layers: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly heads: number;
}

/** Prompts of `prompt` tokens, `output` tokens made of each, in blocks of several GPU batches. */
export interface FlexGenLoad {
  readonly prompt: number;
  readonly output: number;
  readonly gpuBatch: number;
  readonly batches: number;
}

/** Shares on GPU, CPU and disk of weights (w), cache (c) and hidden state (h). */
export const shareNames = ["wg", "wc", "wn", "cg", "cc", "cn", "hg", "hc", "hn"] as const;
export type ShareName = (typeof shareNames)[number];
export type Placement = Readonly<Record<ShareName, number>>;

export const termNames = [
  "ctog_p",
  "gtoc_p",
  "dtoc_p",
  "ctod_p",
  "comp_p",
  "ctog_g",
  "gtoc_g",
  "dtoc_g",
  "ctod_g",
  "comp_g",
] as const;
export type TermName = (typeof termNames)[number];

/** Which terms are added before the largest sum counts: pipelines that share a resource. */
export interface Overlap {
  readonly prefill: readonly (readonly TermName[])[];
  readonly decode: readonly (readonly TermName[])[];
}

/** All five overlap (`paper`); the disk path in line with the bus, loads before all (`runtime`). */
export function overlapOf(variant: Variant): Overlap {
  if (variant === "paper") {
    return {
      prefill: [["ctog_p"], ["gtoc_p"], ["dtoc_p"], ["ctod_p"], ["comp_p"]],
      decode: [["ctog_g"], ["gtoc_g"], ["dtoc_g"], ["ctod_g"], ["comp_g"]],
    };
  }
  return {
    prefill: [["ctog_p", "dtoc_p"], ["gtoc_p", "ctod_p"], ["comp_p"]],
    decode: [
      ["ctog_g", "gtoc_g"],
      ["ctog_g", "dtoc_g"],
      ["ctog_g", "ctod_g"],
      ["ctog_g", "comp_g"],
    ],
  };
}

/** Bytes of a layer's weights: four attention matrices and two of the feed-forward. */
export function layerWeights({ hidden, intermediate }: FlexGenModel): Bytes {
  return bytes(8 * hidden ** 2 + 4 * hidden * intermediate);
}

/** Disk reads of weights in decode reach this share of the rate (`runtime`). */
const diskReadDerating = 0.95;

/** Terms of transfers, the others being compute. */
type MoveName = Exclude<TermName, "comp_p" | "comp_g">;

/** Bytes of a transfer by content: their rates differ. */
interface Moved {
  readonly weights: number;
  readonly cache: number;
  readonly hidden: number;
}

/** The transfers of a layer for the whole block. */
export function layerMoves(
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
): Readonly<Record<MoveName, Moved>> {
  const { hidden: h1 } = model;
  const { prompt: s, output: n } = load;
  const bls = load.gpuBatch * load.batches;
  const w = layerWeights(model);
  const { wc, wn, cc, cn, hc, hn } = at;
  const step = 4 * h1 * bls;
  const state = 2 * h1 * bls;
  const moved = (weights: number, cache: number, hidden: number): Moved => ({
    weights,
    cache,
    hidden,
  });
  return {
    ctog_p: moved((wc + wn) * w, 0, (hc + hn) * state * s),
    gtoc_p: moved(0, (cc + cn) * step * (s + 1), (hc + hn) * state * s),
    dtoc_p: moved(wn * w, 0, hn * state * s),
    ctod_p: moved(0, cn * step * (s + 1), hn * state * s),
    ctog_g: moved((wc + wn) * w, 0, (hc + hn) * state),
    gtoc_g: moved(0, 0, (hc + hn) * state),
    dtoc_g: moved(wn * w, cn * step * (s + n / 2), hn * state),
    ctod_g: moved(0, cn * step, hn * state),
  };
}

/** The ten terms of a layer. */
export function layerTerms(
  variant: Variant,
  machine: FlexGenMachine,
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
): Readonly<Record<TermName, Seconds>> {
  const { hidden: h1, intermediate: h2 } = model;
  const { prompt: s, output: n } = load;
  const bls = load.gpuBatch * load.batches;
  const past = 4 * h1 * bls * (s + n / 2);
  const linear = bls * (8 * h1 ** 2 + 4 * h1 * h2);
  const moves = layerMoves(model, load, at);
  const move = (amount: number, rate: BytesPerSecond): Seconds => transferTime(bytes(amount), rate);
  const all = (name: MoveName, rate: BytesPerSecond): Seconds =>
    move(moves[name].weights + moves[name].cache + moves[name].hidden, rate);
  const separately = (name: MoveName, cache: BytesPerSecond, hidden: BytesPerSecond): Seconds =>
    sum(move(moves[name].cache, cache), move(moves[name].hidden, hidden));
  const weightRate = bytesPerSecond(
    machine.diskToCpu * (variant === "runtime" ? (machine.weightReadShare ?? diskReadDerating) : 1),
  );
  const read = moves.dtoc_g;
  const work = (amount: number, rate: FlopsPerSecond): Seconds => computeTime(flops(amount), rate);
  return {
    ctog_p: all("ctog_p", machine.cpuToGpu),
    gtoc_p: separately("gtoc_p", machine.gpuToCpuCache, machine.gpuToCpuHidden),
    dtoc_p: all("dtoc_p", machine.diskToCpu),
    ctod_p: separately("ctod_p", machine.cpuToDiskCachePrefill, machine.cpuToDiskHiddenPrefill),
    comp_p: sum(
      work(linear * s, machine.matmulPrefill),
      work(4 * bls * s ** 2 * h1, machine.batchedPrefill),
    ),
    ctog_g: all("ctog_g", machine.cpuToGpu),
    gtoc_g: all("gtoc_g", machine.gpuToCpuHidden),
    dtoc_g: sum(move(read.cache + read.hidden, machine.diskToCpu), move(read.weights, weightRate)),
    ctod_g: all("ctod_g", machine.cpuToDiskDecode),
    comp_g: sum(
      work(linear, machine.matmulDecode),
      work(at.cg * past, machine.batchedDecode),
      work((at.cc + at.cn) * past, cpuRate(variant, machine, model, load)),
    ),
  };
}

/** The CPU's rate; in `runtime` scaled by max(0.1, 1 + c1 x y - c2 x - c3 y). */
function cpuRate(
  variant: Variant,
  machine: FlexGenMachine,
  model: FlexGenModel,
  load: FlexGenLoad,
): FlexGenMachine["cpu"] {
  if (variant === "paper") return machine.cpu;
  const [c1, c2, c3] = machine.cpuFit;
  const x = Math.max(0, Math.log2(64 / load.gpuBatch));
  const y = Math.max(0, Math.log2(4096 / model.hidden));
  return (machine.cpu * Math.max(0.1, 1 + c1 * x * y - c2 * x - c3 * y)) as FlopsPerSecond;
}
