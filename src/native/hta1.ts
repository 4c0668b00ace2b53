// SPDX-License-Identifier: Apache-2.0
// Heads of the generator hta1 (src/workload/hta1.ts, which defines them), made by the addon in a
// fiftieth of the time. They are bits; numbers are made of those when they are first asked for.

import { halvesToNumbers } from "../golden/half.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import { loadAddon } from "./addon.ts";

interface Hta1Binding {
  readonly hta1: (seed: number, length: number, width: number, part: number) => Uint16Array;
}

/** A head of `length` tokens. @throws NeardataError `not-built` */
export function hta1Head(seed: number, length: number, width: number): AttentionHead {
  const { hta1 } = loadAddon() as Hta1Binding;
  const rows = (part: number): Rows => {
    const bits = hta1(seed, length, width, part);
    let numbers: Float64Array | undefined;
    return { bits, numbers: () => (numbers ??= halvesToNumbers(bits)) };
  };
  const [queries, keys, values] = [rows(0), rows(1), rows(2)];
  return {
    length,
    width,
    bits: { queries: queries.bits, keys: keys.bits, values: values.bits },
    get queries() {
      return queries.numbers();
    },
    get keys() {
      return keys.numbers();
    },
    get values() {
      return values.numbers();
    },
  };
}

interface Rows {
  readonly bits: Uint16Array;
  readonly numbers: () => Float64Array;
}
