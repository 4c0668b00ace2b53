// SPDX-License-Identifier: Apache-2.0
// The GPU memory budget beside the working layer. A resident layer (optimisation 1) needs its
// weights and the keys and values of the whole batch at its full length: attention of the layer is on the GPU.
// In LIA's model of FlexGen, the resident data are kinds of sublayers of all layers, whose caches stay in CPU
// memory.

import { bytes, type Bytes } from "../../../base/units.ts";
import { onCpu, type PolicyBits } from "../model/cost.ts";
import { sublayerWeights, weightBytes, type LayerShape } from "../model/layer.ts";
import type { LiaJob } from "./run.ts";

/** GPU memory that is reserved from layers: in section 5.2, layers occupy 35 of 40 GB. */
export const workingSet: Bytes = bytes(5 * 2 ** 30);

/** Keys and values of one layer, the whole batch at its full length. */
export function layerCache({ shape, batch, input, output }: LiaJob): Bytes {
  return bytes(4 * shape.cacheWidth * batch * (input + output));
}

/** Memory of a resident layer for the whole run. */
export function residentBytes(job: LiaJob): Bytes {
  return bytes(weightBytes(job.shape) + layerCache(job));
}

/**
 * Activations of the running layer for this number of tokens: hidden state, queries, keys and
 * values, and the outputs of FC1 of the experts that a token uses. Scores are computed block by
 * block in the working set. Each of several GPUs has the whole hidden state and its part of all
 * else.
 */
export function activationBytes(shape: LayerShape, tokens: number, gpus = 1): Bytes {
  const { width, cacheWidth, intermediate, matrices, experts } = shape;
  const inner = (matrices - 1) * intermediate * (experts?.perToken ?? 1);
  return bytes(2 * tokens * (width + (width + 2 * cacheWidth + inner) / gpus));
}

/** Memory of one GPU, by its use during a layer. */
export interface GpuMemoryBudget {
  /** The largest sublayer's weights twice: one in use, one in transfer. */
  readonly buffers: Bytes;
  /** The activations of one mini-batch in a layer, or its cache in transfer to the GPU. */
  readonly activations: Bytes;
  /** Parts into which a batch is split; its weights cross once for all of them. */
  readonly miniBatches: number;
  /** Left free for scores and the framework. */
  readonly working: Bytes;
  /** Memory for layers. */
  readonly layers: Bytes;
}

/**
 * The memory budget of a GPU, one of `gpus` that split every sublayer. A batch is split if its activations exceed the
 * free memory. If `activations` still exceeds the memory, the plan does not fit. Layers never fill the last `free`
 * bytes.
 */
export function gpuMemoryBudget(
  memory: Bytes,
  job: LiaJob,
  decode: PolicyBits,
  gpus: number = 1,
  free: Bytes = workingSet,
): GpuMemoryBudget {
  const { shape, batch, input, output } = job;
  const buffers = bytes((2 * Math.max(...sublayerWeights(shape))) / gpus);
  const attendsHere = !onCpu(decode, 1) || !onCpu(decode, 2);
  const sequence = Math.max(
    activationBytes(shape, input, gpus),
    attendsHere ? (2 * 4 * shape.cacheWidth * (input + output)) / gpus : 0,
  );
  const reserve = Math.max(free, buffers);
  const comfortable = Math.floor((memory - reserve) / sequence);
  const together = comfortable >= 1 ? comfortable : Math.floor((memory - buffers) / sequence);
  const miniBatches = Math.ceil(batch / Math.min(batch, Math.max(1, together)));
  const activations = bytes(Math.ceil(batch / miniBatches) * sequence);
  const rest = memory - buffers - activations;
  const working = Math.max(0, Math.min(reserve - buffers, rest));
  const layers = Math.max(0, rest - working);
  return {
    buffers,
    activations,
    miniBatches,
    working: bytes(working),
    layers: bytes(layers),
  };
}
