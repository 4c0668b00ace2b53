// SPDX-License-Identifier: Apache-2.0
// Weights of fewer than 16 bits for a simulated netlist, as the unit reads them out of memory.

import { lowBitRowBursts, packLowBitRow } from "../../../workload/ndp/pack-low-bit.ts";
import type { LowBitFormat } from "../../../golden/low-bit.ts";
import { quantise } from "../../../workload/quantise.ts";
import { normalFrom } from "../../../base/random.ts";
import { present } from "../../../base/present.ts";
import { lanes } from "./gate-sim.ts";

const block = 256;
const burstBits = 512;

/** A row of `blocks` blocks of normal values times `scale`: its bursts, a word a bit, another row per run. */
export function lowBitBursts(
  next: () => number,
  format: LowBitFormat,
  blocks: number,
  scale: number,
): readonly (readonly number[])[] {
  const uniform = (): number => ((next() >>> 0) + 1) / 2 ** 32;
  const columns = blocks * block;
  const count = lowBitRowBursts(format, blocks);
  const bursts = Array.from({ length: count }, () => Array.from({ length: burstBits }, () => 0));
  for (let run = 0; run < lanes; run += 1) {
    const values = Float64Array.from({ length: columns }, () => scale * normalFrom(uniform));
    const bytes = new Uint8Array((count * burstBits) / 8);
    packLowBitRow(bytes, quantise(values, 1, columns, format), 0, 1);
    bursts.forEach((words, burst) => {
      for (let bit = 0; bit < burstBits; bit += 1) {
        const byte = present(bytes[(burst * burstBits + bit) >> 3]);
        words[bit] = present(words[bit]) | (((byte >>> (bit & 7)) & 1) << run);
      }
    });
  }
  return bursts;
}
