// SPDX-License-Identifier: Apache-2.0
// A server of GPUs that are known by their rates alone: the slower of arithmetic and reads, layers split
// over all devices, weights and caches in their memories. Launches and a link's latency as elsewhere.

import { cacheBytesPerToken, type ModelShape } from "../../../workload/shapes.ts";
import { bytes, seconds, type Bytes } from "../../../base/units.ts";
import { usualAssumptions } from "./device.ts";
import type { ServedModel } from "./iteration.ts";

export interface RatedServer {
  readonly devices: number;
  /** Of one device: FLOP/s, bytes/s, bytes, and bytes/s to the others in one direction. */
  readonly compute: number;
  readonly bandwidth: number;
  readonly memory: Bytes;
  readonly link: number;
}

const bytesPerValue = 2;

/** Values of all weights but the embeddings; null for other attention than plain heads. */
function weightsOf({ layers, hidden, attention, dense }: ModelShape): number | null {
  if (attention.kind !== "heads" || dense === null) return null;
  const { heads, kvHeads, headDim } = attention;
  const projections = 2 * heads * headDim + 2 * kvHeads * headDim;
  return layers * hidden * (projections + dense.matrices * dense.intermediate);
}

/** The model on the server; null where it does not fit, or has experts or latent attention. */
export function serveByRates(server: RatedServer, shape: ModelShape): ServedModel | null {
  const { devices, compute, bandwidth, memory, link } = server;
  const { layers, hidden, attention } = shape;
  const values = weightsOf(shape);
  if (values === null || attention.kind !== "heads") return null;
  const room = memory * devices - bytesPerValue * values;
  if (room <= 0) return null;
  const cacheBytes = cacheBytesPerToken(shape);
  const wide = attention.heads * attention.headDim;
  const reduce = (tokens: number): number =>
    devices === 1
      ? 0
      : usualAssumptions.linkLatency * (devices - 1) +
        (2 * (devices - 1) * tokens * hidden * bytesPerValue) / devices / link;
  return {
    room: bytes(room),
    cacheBytes,
    layers,
    linear: (tokens) =>
      seconds(
        Math.max(
          (2 * values * tokens) / (compute * devices),
          (bytesPerValue * values) / (bandwidth * devices),
        ) +
          layers * (usualAssumptions.launches + 2 * reduce(tokens)),
      ),
    promptAttention: (tokens) =>
      seconds((layers * 2 * tokens * tokens * wide) / (compute * devices)),
    attentionPerToken: seconds(cacheBytes / (bandwidth * devices)),
  };
}
