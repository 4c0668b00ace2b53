// SPDX-License-Identifier: Apache-2.0
// FlexGen's cost model, in two variants. `paper`: appendix A.3 as printed. `runtime`: the released
// cost model, whose rates depend on what moves and which phase it is. Every time and every byte count
// is affine in the nine shares of a placement, which makes the search for one a linear program.

import {
  bytes,
  bytesPerSecond,
  flops,
  seconds,
  sum,
  transferTime,
  computeTime,
  type Bytes,
  type BytesPerSecond,
  type FlopsPerSecond,
  type Seconds,
} from "../../units.ts";

export type Variant = "paper" | "runtime";

/** A model as the cost model sees it. */
export interface FlexGenModel {
  readonly layers: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly heads: number;
}

/** Capacities and rates. The `paper` variant has the same rate in each of a kind's entries. */
export interface FlexGenMachine {
  readonly gpuMemory: Bytes;
  readonly cpuMemory: Bytes;
  readonly diskMemory: Bytes;
  readonly cpuToGpu: BytesPerSecond;
  readonly gpuToCpuCache: BytesPerSecond;
  readonly gpuToCpuHidden: BytesPerSecond;
  readonly diskToCpu: BytesPerSecond;
  readonly cpuToDiskCachePrefill: BytesPerSecond;
  readonly cpuToDiskHiddenPrefill: BytesPerSecond;
  readonly cpuToDiskDecode: BytesPerSecond;
  readonly matmulPrefill: FlopsPerSecond;
  readonly matmulDecode: FlopsPerSecond;
  readonly batchedPrefill: FlopsPerSecond;
  readonly batchedDecode: FlopsPerSecond;
  readonly cpu: FlopsPerSecond;
  /** How the CPU's rate falls with small batches and narrow models (`runtime`). */
  readonly cpuFit: readonly [c1: number, c2: number, c3: number];
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

/** What a layer and a block cost under a placement. */
export interface Evaluation {
  readonly terms: Readonly<Record<TermName, Seconds>>;
  readonly prefillLayer: Seconds;
  readonly decodeLayer: Seconds;
  readonly block: Seconds;
  readonly perSequence: Seconds;
  /** Generated tokens a second. */
  readonly throughput: number;
  readonly memory: readonly MemoryRow[];
  readonly feasible: boolean;
}

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
  const w = layerWeights(model);
  const { wc, wn, cg, cc, cn, hc, hn } = at;
  const offGpuHidden = 2 * (hc + hn) * h1 * bls;
  const step = 4 * h1 * bls;
  const past = step * (s + n / 2);
  const weightRead = transferTime(
    bytes(wn * w),
    bytesPerSecond(machine.diskToCpu * (variant === "runtime" ? diskReadDerating : 1)),
  );
  const linear = bls * (8 * h1 ** 2 + 4 * h1 * h2);
  const move = (amount: number, rate: BytesPerSecond): Seconds => transferTime(bytes(amount), rate);
  const work = (amount: number, rate: FlopsPerSecond): Seconds => computeTime(flops(amount), rate);
  return {
    ctog_p: move((wc + wn) * w + offGpuHidden * s, machine.cpuToGpu),
    gtoc_p: sum(
      move((cc + cn) * step * (s + 1), machine.gpuToCpuCache),
      move(offGpuHidden * s, machine.gpuToCpuHidden),
    ),
    dtoc_p: move(wn * w + 2 * hn * s * h1 * bls, machine.diskToCpu),
    ctod_p: sum(
      move(cn * step * (s + 1), machine.cpuToDiskCachePrefill),
      move(2 * hn * s * h1 * bls, machine.cpuToDiskHiddenPrefill),
    ),
    comp_p: sum(
      work(linear * s, machine.matmulPrefill),
      work(4 * bls * s ** 2 * h1, machine.batchedPrefill),
    ),
    ctog_g: move((wc + wn) * w + offGpuHidden, machine.cpuToGpu),
    gtoc_g: move(offGpuHidden, machine.gpuToCpuHidden),
    dtoc_g: sum(move(cn * past + 2 * hn * h1 * bls, machine.diskToCpu), weightRead),
    ctod_g: move(cn * step + 2 * hn * h1 * bls, machine.cpuToDiskDecode),
    comp_g: sum(
      work(linear, machine.matmulDecode),
      work(cg * past, machine.batchedDecode),
      work((cc + cn) * past, cpuRate(variant, machine, model, load)),
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

export interface MemoryRow {
  readonly name: string;
  readonly bytes: Bytes;
  readonly tier: "gpu" | "cpu" | "disk";
}

/** Peak memory of each tier and phase. `paper` has a GPU row for each kind of workspace. */
export function memoryRows(
  variant: Variant,
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
): readonly MemoryRow[] {
  const { hidden: h1, intermediate: h2, heads: nh, layers: l } = model;
  const { prompt: s, output: n, gpuBatch: gbs } = load;
  const bls = gbs * load.batches;
  const w = layerWeights(model);
  const { wg, wc, wn, cg, cc, cn, hg, hc, hn } = at;
  const runtime = variant === "runtime";
  const cache = 4 * (s + n) * h1 * bls * l;
  const hidden = 2 * h1 * bls;
  const gpuPrefill =
    wg * w * l + hg * hidden * s + cg * cache + 2 * (1 - wg) * w + 2 * (1 - hg) * s * h1 * gbs;
  const gpuDecode =
    wg * w * l +
    hg * hidden +
    cg * cache +
    2 * (1 - wg) * w +
    2 * (1 - hg) * (runtime ? 1 : s) * h1 * gbs;
  const prefillAttention = gbs * (4 * s * h1 + 2 * nh * s ** 2);
  // The released model counts hidden states and cached operands of both products, scores once.
  const [states, operands] = runtime ? [2, 4] : [1, 1];
  const decodeAttention =
    cg * gbs * (2 * states * h1 + 2 * operands * (s + n) * h1 + 2 * nh * (s + n));
  const cpuCache = runtime ? 4 * s * h1 * bls * l : cache;
  const workspaces = (tokens: number, attention: number): readonly [string, number][] => [
    ["qkv", 8 * gbs * tokens * h1],
    ["att1", attention],
    ["att2", attention],
    ["embed", 4 * gbs * tokens * h1],
    ["mlp", 2 * gbs * tokens * (h1 + h2)],
  ];
  const gpu = (phase: string, home: number, list: readonly [string, number][]): MemoryRow[] => {
    if (!runtime) {
      return list.map(([name, extra]) => row("gpu", `gpu_${phase}_${name}`, home + extra));
    }
    const total = list.filter(([name]) => name !== "att2").reduce((t, [, x]) => t + x, 0);
    return [row("gpu", `gpu_${phase}`, home + total)];
  };
  return [
    ...gpu("p", gpuPrefill, workspaces(s, prefillAttention * (runtime ? 1 : cg))),
    ...gpu("g", gpuDecode, workspaces(1, decodeAttention)),
    row(
      "cpu",
      "cpu_p",
      wc * w * l + hc * hidden * s + cc * cpuCache + (1 - wg) * w + 2 * (1 - hg) * s * h1 * gbs,
    ),
    row(
      "cpu",
      "cpu_g",
      wc * w * l +
        hc * hidden +
        cc * cache +
        wn * w +
        4 * hn * h1 * gbs +
        8 * cn * (s + n) * h1 * gbs +
        2 * nh * (s + n) * gbs +
        2 * h1 * gbs,
    ),
    row("disk", "disk", wn * w * l + hn * hidden * s + cn * cache),
  ];
}

function row(tier: MemoryRow["tier"], name: string, amount: number): MemoryRow {
  return { tier, name, bytes: bytes(amount) };
}

/** The capacity of a tier. */
export function capacityOf(machine: FlexGenMachine, tier: MemoryRow["tier"]): Bytes {
  switch (tier) {
    case "gpu":
      return machine.gpuMemory;
    case "cpu":
      return machine.cpuMemory;
    case "disk":
      return machine.diskMemory;
  }
}

/** Rounding that a placement at the edge of a capacity may show. */
const capacitySlack = 1e-9;

/** Everything about one placement; `relax` scales the capacities. */
export function evaluate(
  variant: Variant,
  machine: FlexGenMachine,
  model: FlexGenModel,
  load: FlexGenLoad,
  placement: Placement,
  relax: number = 1,
): Evaluation {
  const terms = layerTerms(variant, machine, model, load, placement);
  const overlap = overlapOf(variant);
  const slowest = (groups: readonly (readonly TermName[])[]): Seconds =>
    seconds(Math.max(...groups.map((names) => sum(...names.map((name) => terms[name])))));
  const prefillLayer = slowest(overlap.prefill);
  const decodeLayer = slowest(overlap.decode);
  const block = model.layers * (prefillLayer + (load.output - 1) * decodeLayer);
  const bls = load.gpuBatch * load.batches;
  const memory = memoryRows(variant, model, load, placement);
  const feasible = memory.every(({ tier, bytes: used }) => {
    const limit = capacityOf(machine, tier) * relax;
    return used <= limit * (1 + capacitySlack) + capacitySlack;
  });
  return {
    terms,
    prefillLayer,
    decodeLayer,
    block: seconds(block),
    perSequence: seconds(block / bls),
    throughput: (bls * load.output) / block,
    memory,
    feasible,
  };
}
