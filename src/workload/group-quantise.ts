// SPDX-License-Identifier: Apache-2.0
// Group-wise asymmetric quantisation (FlexGen, section 5): each group of values along one dimension
// is mapped linearly from [min, max] to the codes 0 .. 2^bits - 1. Rounding is half to even. A
// constant group has scale 0 and codes 0, and is restored exactly.

import { halfToNumber, numberToHalf } from "../golden/half.ts";
import { bytes, type Bytes } from "../base/units.ts";
import { present } from "../base/present.ts";

export interface Quantised {
  readonly codes: readonly number[];
  /** Smallest value of each group. */
  readonly min: readonly number[];
  /** (2^bits - 1) / (max - min) of each group; 0 for a constant one. */
  readonly scale: readonly number[];
}

/** The element in each slot of each group; a short last group has fewer. */
export type Grouping = readonly (readonly number[])[];

/** Consecutive elements; the last group may be short. */
export function rowGroups(count: number, size: number): Grouping {
  return Array.from({ length: Math.ceil(count / size) }, (_, g) =>
    range(Math.min(size, count - g * size)).map((i) => g * size + i),
  );
}

/** Groups along dimension `dim` of a row-major tensor: outer index, group, inner index. */
export function tensorGroups(shape: readonly number[], dim: number, size: number): Grouping {
  const length = present(shape[dim]);
  const inner = shape.slice(dim + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, dim).reduce((a, b) => a * b, 1);
  return range(outer).flatMap((o) =>
    range(Math.ceil(length / size)).flatMap((g) =>
      range(inner).map((i) =>
        range(Math.min(size, length - g * size)).map(
          (k) => (o * length + g * size + k) * inner + i,
        ),
      ),
    ),
  );
}

/**
 * Quantises each group by itself. With `padTo`, a short group counts zeros up to that size in its
 * minimum and maximum, as FlexGen's program does.
 */
export function quantise(
  values: readonly number[],
  groups: Grouping,
  bits: number,
  round: (x: number) => number = roundHalfEven,
  padTo = 0,
): Quantised {
  const top = 2 ** bits - 1;
  const codes = new Array<number>(values.length).fill(0);
  const min: number[] = [];
  const scale: number[] = [];
  for (const group of groups) {
    const members = group.map((i) => present(values[i]));
    if (members.length < padTo) members.push(0);
    const low = Math.min(...members);
    const span = Math.max(...members) - low;
    min.push(low);
    scale.push(span === 0 ? 0 : top / span);
    if (span === 0) continue;
    for (const i of group) {
      const code = round(((present(values[i]) - low) / span) * top);
      codes[i] = Math.min(top, Math.max(0, code));
    }
  }
  return { codes, min, scale };
}

/** The values of codes: q / scale + min. */
export function dequantise(quantised: Quantised, groups: Grouping): readonly number[] {
  const values = new Array<number>(quantised.codes.length).fill(0);
  groups.forEach((group, g) => {
    const scale = present(quantised.scale[g]);
    const min = present(quantised.min[g]);
    for (const i of group) {
      values[i] = scale === 0 ? min : present(quantised.codes[i]) / scale + min;
    }
  });
  return values;
}

/** The same with minimum and scale stored as FP16. */
export function withHalfMetadata({ codes, min, scale }: Quantised): Quantised {
  const half = (x: number): number => halfToNumber(numberToHalf(x));
  return { codes, min: min.map(half), scale: scale.map(half) };
}

/** The largest error a value can have: half a code step of the widest group. */
export function errorBound({ scale }: Quantised): number {
  return Math.max(0, ...scale.map((s) => (s === 0 ? 0 : 0.5 / s)));
}

/** Two 4-bit codes a byte, the even element in the high nibble. */
export function packNibbles(codes: readonly number[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil(codes.length / 2));
  codes.forEach((code, i) => {
    packed[i >> 1] = present(packed[i >> 1]) | (i % 2 === 0 ? code << 4 : code);
  });
  return packed;
}

/** Bytes of packed 4-bit codes with FP16 minimum and scale a group. */
export function storedBytes(groupCount: number, groupSize: number): Bytes {
  return bytes(groupCount * (groupSize / 2 + 4));
}

/** To the nearest integer, ties to the even one. */
export function roundHalfEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

/** To the nearest integer, ties up. */
export function roundHalfUp(x: number): number {
  return Math.floor(x + 0.5);
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}
