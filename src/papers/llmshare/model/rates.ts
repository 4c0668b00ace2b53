// SPDX-License-Identifier: Apache-2.0
// A server of GPUs with known rates only: the slower of arithmetic and reads, layers split
// over all devices, weights and caches in their memories. Launches and a link's latency as elsewhere.

import { sharedWeightBytes, type ModelShape } from "../../../workload/shapes.ts";
import { bytes, seconds, type Bytes } from "../../../base/units.ts";
import { defaultAssumptions, type ServingAssumptions } from "./device.ts";
import { canServe, storedPerToken, type ServedModel } from "./iteration.ts";

export interface RatedServer {
  readonly devices: number;
  /** Rates of one device: FLOP/s, bytes/s, bytes, and bytes/s to the others in one direction. */
  readonly compute: number;
  readonly bandwidth: number;
  readonly memory: Bytes;
  readonly link: number;
}

const bytesPerValue = 2;

/**
 * The model on the server, in addition to `reserved` bytes of other data; null if it does not fit
 * or is not supported.
 */
export function serveByRates(
  server: RatedServer,
  shape: ModelShape,
  assumptions: Pick<ServingAssumptions, "launches" | "linkLatency"> = defaultAssumptions,
  reserved = 0,
): ServedModel | null {
  const { devices, compute, bandwidth, memory, link } = server;
  const { layers, hidden, attention } = shape;
  if (!canServe(shape) || attention.kind !== "heads") return null;
  const weights = sharedWeightBytes(shape);
  const room = memory * devices - weights - reserved;
  if (room <= 0) return null;
  const cacheBytes = storedPerToken(shape, devices);
  const wide = attention.heads * attention.headDim;
  const reduce = (tokens: number): number =>
    devices === 1
      ? 0
      : assumptions.linkLatency * (devices - 1) +
        (2 * (devices - 1) * tokens * hidden * bytesPerValue) / devices / link;
  return {
    room: bytes(room),
    cacheBytes,
    layers,
    linear: (tokens) =>
      seconds(
        Math.max((weights * tokens) / (compute * devices), weights / (bandwidth * devices)) +
          layers * (assumptions.launches + 2 * reduce(tokens)),
      ),
    promptAttention: (tokens) =>
      seconds((layers * 2 * tokens * tokens * wide) / (compute * devices)),
    attentionPerToken: seconds(cacheBytes / (bandwidth * devices)),
  };
}
