// SPDX-License-Identifier: Apache-2.0
// The time of a server for one pass through a decoder model: prompts and running requests in one
// batch, layers split over the server's devices (tensor parallel), 16-bit values.

import type { ModelShape } from "../../../workload/shapes.ts";
import { cacheBytesPerToken, sharedWeightBytes } from "../../../workload/shapes.ts";
import { bytes, seconds, type Bytes, type Seconds } from "../../../base/units.ts";
import type { Server } from "./device.ts";
import { productTime } from "./matmul.ts";

/** One server with a model on it. */
export interface ServedModel {
  /** Bytes of the server left for caches. */
  readonly room: Bytes;
  /**
   * Bytes of one token on all devices; heads that several devices need are stored on each of them.
   */
  readonly cacheBytes: Bytes;
  readonly layers: number;
  /** All that depends on the number of tokens alone: products, vectors, links, launches. */
  readonly linear: (tokens: number) => Seconds;
  /** Attention of a prompt of so many tokens among themselves. */
  readonly promptAttention: (tokens: number) => Seconds;
  /** Attention of one new token for each token before it. */
  readonly attentionPerToken: Seconds;
}

const bytesPerValue = 2;
/** Operations of a vector unit a value: softmax with an exponential, normalisation, GELU or SiLU. */
const vectorWork = { softmax: 40, norm: 14, activation: 30 };
/** Packets of a link: payload and header bytes (LLMCompass, NVLink 3). */
const packet = { payload: 256, header: 16 };

/** Whether the model has heads and dense layers: no experts and no latent attention, which are not modelled. */
export function canServe({ attention, dense, experts }: ModelShape): boolean {
  return attention.kind === "heads" && dense !== null && experts === null;
}

/** Bytes of one token on all devices: a device stores the keys and values of whole heads. */
export function storedPerToken(shape: ModelShape, devices: number): Bytes {
  const one = cacheBytesPerToken(shape);
  const { attention } = shape;
  if (attention.kind !== "heads") return one;
  return bytes((one / attention.kvHeads) * Math.ceil(attention.kvHeads / devices) * devices);
}

/**
 * The model on the server, in addition to `reserved` bytes of other data; null if the weights do
 * not fit or the model is not supported (`canServe`).
 */
export function serve(server: Server, shape: ModelShape, reserved = 0): ServedModel | null {
  const { device, devices } = server;
  const { attention, dense, hidden, layers } = shape;
  if (!canServe(shape) || attention.kind !== "heads" || dense === null) return null;
  const { intermediate: inner, matrices } = dense;
  const room = bytes(device.memory * devices - sharedWeightBytes(shape) - reserved);
  if (room <= 0) return null;
  const heads = Math.ceil(attention.heads / devices);
  const { headDim } = attention;
  const [queries, keys] = [attention.heads * headDim, attention.kvHeads * headDim];
  const vectorRate = device.cores * device.lanes * device.vectorFlops * device.clock;
  const arrays = device.cores * device.lanes;
  /** The gate is a product and a multiplication more. */
  const gates = matrices - 2;

  const layerTime = (tokens: number): number => {
    const share = (k: number, n: number): number => productTime(device, { m: tokens, k, n });
    const products =
      share(hidden, (queries + 2 * keys) / devices) +
      share(queries / devices, hidden) +
      share(hidden, ((1 + gates) * inner) / devices) +
      share(inner / devices, hidden);
    const vector =
      (tokens *
        (2 * vectorWork.norm * hidden + ((vectorWork.activation + gates) * inner) / devices)) /
      vectorRate;
    const size = tokens * hidden * bytesPerValue;
    return server.overlapped === true
      ? Math.max(products + vector, 2 * reduceAtOnce(server, size)) + server.launches
      : products + vector + server.launches + 2 * allReduce(server, size);
  };
  const promptLayer = (tokens: number): number => {
    const folds = Math.ceil(tokens / device.array);
    const fill = 3 * device.array - 2;
    const scores = heads * folds * folds * (headDim + fill);
    const sums = heads * folds * Math.ceil(headDim / device.array) * (tokens + fill);
    const products = (scores + sums) / arrays / device.clock;
    return products + (heads * tokens * tokens * vectorWork.softmax) / vectorRate;
  };
  const cacheBytes = storedPerToken(shape, devices);
  // On the arrays the queries that share a head are rows of one product, on the vector units all positions work.
  const group = attention.heads / attention.kvHeads;
  const pass = (headDim + 3 * device.array) / device.array + Math.ceil(headDim / device.array);
  const onArrays = (pass * Math.ceil(group / device.array)) / group;
  const onVectors = (4 * headDim) / device.vectorFlops;
  const decodeCycles = Math.min(onArrays, onVectors) + vectorWork.softmax / device.vectorFlops;
  const compute = (heads * decodeCycles) / arrays / device.clock;
  const memory = cacheBytes / layers / devices / device.memoryRate;
  return {
    room,
    cacheBytes,
    layers,
    linear: tabled((tokens) => layers * layerTime(tokens)),
    promptAttention: (tokens) => seconds(layers * promptLayer(tokens)),
    attentionPerToken: seconds(layers * Math.max(memory, compute)),
  };
}

/**
 * A ring all-reduce: each device reduces a share of the values, then broadcasts it (LLMCompass, all
 * to all).
 */
function allReduce({ device, devices, linkLatency }: Server, size: number): number {
  const share = size / devices;
  const sent = share + packet.header * (1 + Math.ceil(share / packet.payload));
  const edge = device.linkRate / (devices - 1);
  return (linkLatency + sent / (2 * edge)) * (devices - 1) + sent / edge;
}

/**
 * Lower bound for connected devices: each sends its share of the values on all links at once, then
 * the sums.
 */
function reduceAtOnce({ device, devices, linkLatency }: Server, size: number): number {
  return devices === 1 ? 0 : 2 * (linkLatency + ((devices - 1) * size) / devices / device.linkRate);
}

/** Numbers of tokens at which times are computed; between them a line. */
const grid = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

function tabled(time: (tokens: number) => number): (tokens: number) => Seconds {
  const known = new Map<number, number>();
  const at = (tokens: number): number => {
    const value = known.get(tokens) ?? time(tokens);
    known.set(tokens, value);
    return value;
  };
  return (tokens) => {
    const above = grid.findIndex((g) => g >= tokens);
    const i = above < 0 ? grid.length - 1 : Math.max(1, above);
    const [low, high] = [grid[i - 1] ?? 1, grid[i] ?? tokens];
    const [a, b] = [at(low), at(high)];
    return seconds(a + ((b - a) * (tokens - low)) / (high - low));
  };
}
