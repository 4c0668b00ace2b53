// SPDX-License-Identifier: Apache-2.0
// GPU and storage devices at work together (section IV-D), at the rates of the hardware: in prefill
// the cache of a layer is written while the next layer computes; in decode, mini-batches alternate:
// one is in the devices while another is on the GPU.

import { effective, gpus } from "../../../machine/host/devices.ts";
import type { Task } from "../../../base/timeline.ts";
import {
  bytes,
  bytesPerSecond,
  computeTime,
  flops,
  flopsPerSecond,
  longer,
  scale,
  sum,
  transferTime,
  type Bytes,
  type BytesPerSecond,
  type Flops,
  type FlopsPerSecond,
  type Seconds,
} from "../../../base/units.ts";
import { sparseFootprint } from "./memory.ts";
import { pagesRead, type InstInferModel, type LayerTimer, type Sparsity } from "./steps.ts";

/** PCIe to one storage device: Gen3 x4 of the prototype (section V-A). */
export const deviceLink: BytesPerSecond = bytesPerSecond(3.9e9);

/** Effective rates of the GPU, and the link of one device. */
export interface PipelineRates {
  readonly compute: FlopsPerSecond;
  readonly bandwidth: BytesPerSecond;
  readonly link: BytesPerSecond;
}
const publishedRates: PipelineRates = {
  compute: flopsPerSecond(effective(gpus.a6000.compute)),
  bandwidth: bytesPerSecond(effective(gpus.a6000.bandwidth)),
  link: deviceLink,
};

/** A product with weights that are read once. */
function gpuTime({ bandwidth, compute }: PipelineRates, weights: Bytes, work: Flops): Seconds {
  return longer(transferTime(weights, bandwidth), computeTime(work, compute));
}

export interface PrefillOptions {
  readonly batch: number;
  readonly prompt: number;
  readonly devices: number;
  /** Whether K is stored in both orders. */
  readonly sparse: boolean;
  /** Whether layers are sent as they are made, or all at the end. */
  readonly layerwise: boolean;
  /** Default: the paper's machine. */
  readonly rates?: PipelineRates;
}

/** Prefill of all layers: compute on the GPU, caches over the link. */
export function prefillTasks(model: InstInferModel, options: PrefillOptions): readonly Task[] {
  const { batch, prompt, devices, sparse, layerwise, rates = publishedRates } = options;
  const { layers, hidden } = model;
  const tokens = batch * prompt;
  const weights = bytes(24 * hidden ** 2);
  const linear = flops(24 * tokens * hidden ** 2);
  const attention = flops(4 * tokens * prompt * hidden);
  const time = gpuTime(rates, weights, sum(linear, attention));
  const cache = scale(bytes(4 * tokens * hidden), sparse ? sparseFootprint : 1);
  const send = transferTime(cache, scale(rates.link, devices));
  const compute = Array.from({ length: layers }, (_, l): Task => ({
    id: `layer ${l} prompt`,
    device: "GPU",
    time,
    after: [],
    tokens,
  }));
  const last = `layer ${layers - 1} prompt`;
  const write = compute.map((task, l): Task => ({
    id: `layer ${l} cache`,
    device: "link",
    time: send,
    after: [layerwise ? task.id : last],
    bytes: cache,
  }));
  return [...compute, ...write];
}

export interface DecodeOptions {
  readonly batch: number;
  /** Tokens of a sequence so far. */
  readonly tokens: number;
  readonly devices: number;
  readonly sparsity: Sparsity | null;
  readonly miniBatches: number;
  /** How many layers of the step. */
  readonly layers: number;
  readonly timer: LayerTimer;
  /** Default: the paper's machine. */
  readonly rates?: PipelineRates;
}

/** A decode step in mini-batches: projections, vectors down, attention, outputs up, the rest. */
export function decodeTasks(model: InstInferModel, options: DecodeOptions): readonly Task[] {
  const { tokens, devices, sparsity, miniBatches, layers, timer } = options;
  const { rates = publishedRates } = options;
  const { hidden, heads } = model;
  const sequences = options.batch / miniBatches;
  const productTime = (squares: number): Seconds =>
    gpuTime(rates, bytes(squares * hidden ** 2), flops(squares * sequences * hidden ** 2));
  const vectors = (count: number): Pick<Task, "time"> & { readonly bytes: Bytes } => {
    const moved = bytes(2 * count * sequences * hidden);
    return { time: transferTime(moved, scale(rates.link, devices)), bytes: moved };
  };
  const attention = timer({
    sequences,
    tokens,
    heads: Math.ceil(heads / devices),
    headDim: hidden / heads,
    sparsity,
  });
  const dense = bytes(4 * sequences * tokens * hidden);
  const read = sparsity === null ? dense : scale(dense, pagesRead(sparsity));
  const id = (l: number, m: number, what: string): string => `layer ${l} batch ${m} ${what}`;
  const finish = (l: number, m: number): Task => ({
    id: id(l, m, "output and FFN"),
    device: "GPU",
    time: productTime(18),
    after: [id(l, m, "result")],
  });
  const attend = (l: number, m: number): readonly Task[] => {
    const [project, down, flash, up] = ["QKV", "q, k, v", "attention", "result"].map((what) =>
      id(l, m, what),
    ) as [string, string, string, string];
    const before = l === 0 ? [] : [id(l - 1, m, "output and FFN")];
    return [
      { id: project, device: "GPU", time: productTime(6), after: before, tokens: sequences },
      { id: down, device: "link down", ...vectors(3), after: [project] },
      { id: flash, device: "flash", time: attention, bytes: read, after: [down] },
      { id: up, device: "link up", ...vectors(1), after: [flash] },
    ];
  };
  const mini = Array.from({ length: miniBatches }, (_, m) => m);
  const steps = Array.from({ length: layers + 1 }, (_, l) =>
    mini.flatMap((m) => [
      ...(l === 0 ? [] : [finish(l - 1, m)]),
      ...(l === layers ? [] : attend(l, m)),
    ]),
  );
  return steps.flat();
}
