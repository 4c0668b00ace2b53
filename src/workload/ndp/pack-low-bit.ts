// SPDX-License-Identifier: Apache-2.0
// Rows of low-bit weights as the unit reads them: a burst of scales, then the codes of up to eight
// blocks (four of NVFP4), and so on. A burst has a code of each of two lanes (8 bits) or four (4 bits) in the 16 bits of
// each multiplier, the first lane in the low bits. Of a block the scales are 8 bytes: the exponents of
// its lanes in MXFP4 and MXFP8, or the FP32 factors of its halves. NVFP4 has 16 bytes, a scale for 16 weights.

import { present } from "../../base/present.ts";
import {
  factorGroup,
  hasByteScales,
  repeatsOfAll,
  termsOf,
  type LowBitFormat,
  type LowBitMatrix,
} from "../../golden/low-bit.ts";
import { repeatsOf, segmentOf } from "../../golden/scaled-blocks.ts";

const burstBytes = 64;
const multipliers = 32;
const lanes = 8;
const block = multipliers * lanes;
/** Bytes of scales of a block. */
const scaleBytes: Readonly<Record<LowBitFormat, 8 | 16>> = {
  mxfp4: 8,
  fp8: 8,
  int8: 8,
  int4: 8,
  mxfp8: 8,
  nvfp4: 16,
};
/** The codes of a scale of 1 (E8M0 and E4M3), for padding. */
const scaleOfOne = { mxfp4: 127, mxfp8: 127, nvfp4: 0x38 } as const;

/** As ndp_pkg numbers them; 0 are weights of the activations' format. */
export const weightCodes: Readonly<Record<LowBitFormat, number>> = {
  mxfp4: 1,
  fp8: 2,
  int8: 3,
  int4: 4,
  mxfp8: 5,
  nvfp4: 6,
};

const codeBits: Readonly<Record<LowBitFormat, 4 | 8>> = {
  mxfp4: 4,
  fp8: 8,
  int8: 8,
  int4: 4,
  mxfp8: 8,
  nvfp4: 4,
};

/** Lanes whose codes share a burst. */
export function burstLanes(format: LowBitFormat): number {
  return 16 / codeBits[format];
}

/** Blocks that follow a burst of scales. */
export function scaledBlocks(format: LowBitFormat): number {
  return burstBytes / scaleBytes[format];
}

/** Bursts of a row of so many blocks. */
export function lowBitRowBursts(format: LowBitFormat, blocks: number): number {
  const scaleBursts = Math.ceil(blocks / scaledBlocks(format));
  return (blocks * block * codeBits[format]) / 8 / burstBytes + scaleBursts;
}

/** Bits that the unit reads per weight: a code and its part of the scales, for each pass. */
export function bitsPerWeight(matrix: LowBitMatrix): number {
  const meetings = repeatsOfAll([matrix], block);
  return meetings * (codeBits[matrix.format] + (8 * scaleBytes[matrix.format]) / block);
}

/** Writes row `row` of a matrix to `bytes`, for `repeats` passes over each block of inputs. */
export function packLowBitRow(
  bytes: Uint8Array,
  matrix: LowBitMatrix,
  row: number,
  repeats: number,
): void {
  const { format, columns } = matrix;
  const blocks = Math.ceil(columns / block) * repeats;
  const blockBytes = (block * codeBits[format]) / 8;
  const meetings = meetingsOf(matrix, repeats);
  const each = scaleBytes[format];
  const scaled = scaledBlocks(format);
  let at = 0;
  let scales = bytes;
  for (let b = 0; b < blocks; b += 1) {
    if (b % scaled === 0) {
      scales = bytes.subarray(at, at + burstBytes);
      at += burstBytes;
    }
    const offset = (b % scaled) * each;
    const codes = bytes.subarray(at, at + blockBytes);
    const { term, repeat } = meetings[b % repeats] ?? { term: matrix, repeat: repeats };
    const first = Math.floor(b / repeats);
    packBlock(codes, scales.subarray(offset, offset + each), term, {
      row,
      index: first,
      repeat,
    });
    at += blockBytes;
  }
}

/**
 * The term of a matrix in each pass over a block of inputs, and the number of the pass within the
 * term.
 */
function meetingsOf(
  matrix: LowBitMatrix,
  repeats: number,
): readonly { readonly term: LowBitMatrix; readonly repeat: number }[] {
  const terms = termsOf(matrix);
  const repeatCount = (term: LowBitMatrix): number =>
    repeatsOf(term.columns, factorGroup(term), block / 2);
  const meetings = terms.flatMap((term) =>
    Array.from({ length: repeatCount(term) }, (_, repeat) => ({ term, repeat })),
  );
  const last = terms.at(-1) ?? matrix;
  // Passes of zeros, if another matrix of the phase has more passes.
  const zeros = Array.from({ length: Math.max(repeats - meetings.length, 0) }, (_, i) => ({
    term: last,
    repeat: repeatCount(last) + i,
  }));
  return [...meetings, ...zeros];
}

interface BlockPosition {
  readonly row: number;
  readonly index: number;
  readonly repeat: number;
}

function packBlock(
  codes: Uint8Array,
  scales: Uint8Array,
  matrix: LowBitMatrix,
  { row, index, repeat }: BlockPosition,
): void {
  const { format, columns, group } = matrix;
  const first = index * block;
  if (hasByteScales(format)) {
    const one = scaleOfOne[format];
    const shared = block / scaleBytes[format];
    for (let index = 0; index < scaleBytes[format]; index += 1) {
      const column = first + index * shared;
      const at = row * Math.ceil(columns / group) + column / group;
      scales[index] = column < columns ? (matrix.scales[at] ?? one) : one;
    }
  }
  const factors = new DataView(scales.buffer, scales.byteOffset, scales.byteLength);
  const groups = Math.ceil(columns / group);
  for (let half = 0; half < 2; half += 1) {
    const segment = segmentOf(columns, factorGroup(matrix), block / 2, 2 * index + half, repeat);
    if (!hasByteScales(format)) {
      const factor = segment.group === null ? 1 : matrix.scales[row * groups + segment.group];
      factors.setFloat32(4 * half, factor ?? 1, true);
    }
    for (let k = segment.begin; k < segment.end; k += 1) {
      place(codes, format, k - first, present(matrix.codes[row * columns + k]));
    }
  }
}

/** Stores the code of weight `k` of a block at the position of its lane and its multiplier. */
function place(codes: Uint8Array, format: LowBitFormat, k: number, code: number): void {
  const lane = Math.floor(k / multipliers);
  const word = 2 * (k % multipliers);
  const stored =
    format === "int8" || format === "int4" ? signAndSize(code, codeBits[format]) : code;
  if (codeBits[format] === 8) {
    codes[Math.floor(lane / 2) * burstBytes + word + (lane % 2)] = stored;
    return;
  }
  const at = Math.floor(lane / 4) * burstBytes + word + (Math.floor(lane / 2) % 2);
  codes[at] = present(codes[at]) | (stored << (lane % 2 === 0 ? 0 : 4));
}

/**
 * Converts a code in two's complement to the array's format: sign and magnitude, -0 for the
 * smallest number.
 */
function signAndSize(code: number, bits: number): number {
  const sign = 1 << (bits - 1);
  const value = code & (2 * sign - 1);
  return value < sign ? value : sign | ((2 * sign - value) & (sign - 1));
}
