// SPDX-License-Identifier: Apache-2.0
// The memories of LIA's data: all in DDR, or (section 6) the parameters in CXL memory and the
// caches in DDR. The second placement fits more sequences, as long as the GPU loads parameters at
// the same rate.

import { bytes, scale, type Bytes, type BytesPerSecond } from "../../../base/units.ts";
import { policyOf, type PolicyBits } from "./cost.ts";
import { weightBytes, type LayerShape } from "./layer.ts";

export type MemoryHome = "ddr" | "cxl";

export interface HostMemory {
  readonly ddr: Bytes;
  readonly cxl: Bytes;
}

/** Memory of a batch: parameters once, a cache for each sequence. */
export interface Footprint {
  readonly parameters: Bytes;
  readonly cachePerSequence: Bytes;
}

/** Footprint of `layers` layers and sequences that grow to `tokens`; `other` are embeddings. */
export function footprintOf(
  shape: LayerShape,
  layers: number,
  tokens: number,
  other: Bytes,
): Footprint {
  return {
    parameters: bytes(layers * weightBytes(shape) + other),
    cachePerSequence: scale(bytes(4 * shape.cacheWidth * tokens), layers),
  };
}

/** Sequences that fit; null where the parameters alone do not. */
export function largestBatch(
  memory: HostMemory,
  { parameters, cachePerSequence }: Footprint,
  home: MemoryHome,
): number | null {
  const room = home === "ddr" ? memory.ddr - parameters : memory.ddr;
  const fits = home === "ddr" ? room >= 0 : parameters <= memory.cxl;
  return fits ? Math.floor(room / cachePerSequence) : null;
}

/**
 * Rate of `expanders` CXL expanders with page interleaving over the link, limited by the rate of
 * the link.
 */
export function parameterRate(
  link: BytesPerSecond,
  expander: BytesPerSecond,
  expanders: number,
): BytesPerSecond {
  return Math.min(link, expanders * expander) as BytesPerSecond;
}

/** All sublayers with parameters on the GPU: CXL is for policies that never read them by CPU. */
const withParameters = policyOf("100111");

/** Whether the CPU reads no parameters under a policy, so that CXL memory may store them. */
export function allowsCxl(policy: PolicyBits): boolean {
  return (policy & withParameters) === 0;
}
