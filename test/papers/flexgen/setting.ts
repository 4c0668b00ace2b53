// SPDX-License-Identifier: Apache-2.0
// A small machine and model for FlexGen's properties, with any load and any placement.

import fc from "fast-check";
import { shareNames } from "../../../src/papers/flexgen/model/cost.ts";
import type {
  FlexGenLoad,
  FlexGenModel,
  Placement,
} from "../../../src/papers/flexgen/model/cost.ts";
import type { FlexGenMachine } from "../../../src/papers/experiment/machines.ts";
import { bytes, bytesPerSecond, flopsPerSecond } from "../../../src/base/units.ts";

export const model: FlexGenModel = { layers: 8, hidden: 1024, intermediate: 4096, heads: 16 };
export const megabyte = 1e6;
export const machine: FlexGenMachine = {
  gpuMemory: bytes(150 * megabyte),
  cpuMemory: bytes(400 * megabyte),
  diskMemory: bytes(4000 * megabyte),
  cpuToGpu: bytesPerSecond(12e9),
  gpuToCpuCache: bytesPerSecond(6e9),
  gpuToCpuHidden: bytesPerSecond(5e9),
  diskToCpu: bytesPerSecond(2e9),
  cpuToDiskCachePrefill: bytesPerSecond(1e9),
  cpuToDiskHiddenPrefill: bytesPerSecond(1.2e9),
  cpuToDiskDecode: bytesPerSecond(1.1e9),
  matmulPrefill: flopsPerSecond(20e12),
  matmulDecode: flopsPerSecond(5e12),
  batchedPrefill: flopsPerSecond(10e12),
  batchedDecode: flopsPerSecond(1e11),
  cpu: flopsPerSecond(2e10),
  cpuFit: [0.0168, 0.0328, 0.0621],
};

/** Shares of one thing on three tiers. */
const shares = fc
  .tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 }))
  .map(([a, b]) => [Math.min(a, b), Math.abs(a - b), 100 - Math.max(a, b)].map((x) => x / 100));
export const placements: fc.Arbitrary<Placement> = fc
  .tuple(shares, shares, shares)
  .map(
    (triples) =>
      Object.fromEntries(
        triples.flat().map((x, i) => [shareNames[i] ?? "", x]),
      ) as unknown as Placement,
  );

export const loads: fc.Arbitrary<FlexGenLoad> = fc.record({
  prompt: fc.integer({ min: 1, max: 1024 }),
  output: fc.integer({ min: 2, max: 64 }),
  gpuBatch: fc.integer({ min: 1, max: 64 }),
  batches: fc.integer({ min: 1, max: 12 }),
});
