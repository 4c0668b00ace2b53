// SPDX-License-Identifier: Apache-2.0
// Bytes that the unit reads for a descriptor: inputs once, weights once a pass.

import { present } from "../../base/present.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";

const burstBytes = 64;
const bytesPerValue = 2;

/** Bytes over all streams; the words are those of the unit's descriptor. */
export function bytesToRead(descriptor: Uint32Array, unit: NdpUnitParameters): number {
  const word = (index: number): number => present(descriptor[index]);
  const operation = word(0) & 15;
  const tokens = word(1);
  const passes = Math.ceil(tokens / Math.max(1, word(2)));
  const inBlocks = word(3);
  const groups = (rows: number): number => Math.ceil(rows / unit.streams);
  const matricesBefore = operation === 0 ? 0 : operation === 1 ? 2 : 1;
  const downBlocks = operation === 0 ? inBlocks : word(5);
  const blocks = groups(word(4)) * matricesBefore * inBlocks + groups(word(6)) * downBlocks;
  const blockBursts = (unit.multipliersPerStream * unit.lanes * bytesPerValue) / burstBytes;
  const weights = passes * blocks * blockBursts * unit.streams;
  return burstBytes * (weights + tokens * inBlocks * blockBursts);
}
