// SPDX-License-Identifier: Apache-2.0
// Heads of the generator hta1 (src/workload/hta1.ts, which defines them), made by the addon: a layer
// of OPT-13B in a quarter of a second. Bits of K and V are made at once, those of queries for the
// tokens that are asked for; numbers are made of the bits when they are first asked for.

import { halvesToNumbers } from "../../golden/half.ts";
import type { AttentionHead, HeadPart } from "../../workload/attention-heads.ts";
import { loadAddon } from "../addon.ts";

/** A head of `length` tokens. @throws NeardataError `not-built` */
export function hta1Head(seed: number, length: number, width: number): AttentionHead {
  const { hta1 } = loadAddon();
  const rows = (part: HeadPart, from: number, to: number): Uint16Array =>
    hta1(seed, length, width, part, from, to);
  const whole = { keys: rows("keys", 0, length), values: rows("values", 0, length) };
  const numbers = new Map<HeadPart, Float64Array>();
  const asked = new Map<string, Uint16Array>();
  const bits = (part: HeadPart, from: number, to: number): Uint16Array => {
    if (part !== "queries") return whole[part].subarray(from * width, to * width);
    const key = `${String(from)}-${String(to)}`;
    const known = asked.get(key) ?? rows(part, from, to);
    asked.set(key, known);
    return known;
  };
  const numbersOf = (part: HeadPart): Float64Array => {
    const known = numbers.get(part) ?? halvesToNumbers(bits(part, 0, length));
    numbers.set(part, known);
    return known;
  };
  return {
    length,
    width,
    bits,
    get queries() {
      return numbersOf("queries");
    },
    get keys() {
      return numbersOf("keys");
    },
    get values() {
      return numbersOf("values");
    },
  };
}
