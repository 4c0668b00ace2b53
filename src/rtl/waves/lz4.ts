// SPDX-License-Identifier: Apache-2.0
// A block of LZ4 (lz4.org, "LZ4 Block Format"): literals, then a copy of earlier bytes, again and again.

import { present } from "../../base/present.ts";

/** @throws RangeError where the block is not of that size */
export function lz4Block(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let from = 0;
  let to = 0;
  const length = (nibble: number): number => {
    let all = nibble;
    if (nibble === 15) {
      for (let more = 255; more === 255; all += more) more = present(packed[from++]);
    }
    return all;
  };
  while (from < packed.length) {
    const token = present(packed[from++]);
    const literals = length(token >> 4);
    out.set(packed.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= packed.length) break;
    const back = present(packed[from]) | (present(packed[from + 1]) << 8);
    from += 2;
    const copied = 4 + length(token & 15);
    if (back === 0 || back > to || to + copied > size) throw new RangeError("no LZ4 block");
    for (let i = 0; i < copied; i += 1, to += 1) out[to] = present(out[to - back]);
  }
  if (to !== size) throw new RangeError("no LZ4 block");
  return out;
}
