// SPDX-License-Identifier: Apache-2.0
// An expert with biases as one without, for a unit that adds products alone: a bias is a weight times an input
// of one. The columns of the biases begin a block of their own, behind the last block of the inputs, so that
// the unit adds the bias in FP32 to the sum of the row, as the golden model does. Two rows of gate and up
// whose activation and product are one supply the input of down's biases: which operands those are depends on
// the gate function. Zeros fill the matrices up.

import { defined } from "../../base/defined.ts";
import { NeardataError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import type { Biases } from "../../golden/expert.ts";
import { gated } from "../../golden/activation.ts";
import { fromBits, toBits, valuesOf } from "../../golden/float16.ts";
import {
  hasByteScales,
  hasExponentScales,
  mxGroup,
  type ByteScaled,
  type LowBitFormat,
  type LowBitMatrix,
} from "../../golden/low-bit.ts";
import {
  gateFunctionLabel,
  gateOf,
  type ActivationFunction,
  type FloatFormat,
  type GateFunction,
} from "../../golden/names.ts";
import { repeatsOf } from "../../golden/scaled-blocks.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";
import type { ExpertWeights } from "../expert.ts";
import type { LowBitWeights } from "../low-bit.ts";

/** An expert without biases, and inputs for it, with the outputs of the expert with biases. */
export interface BiasesAsColumns {
  /** Its hidden size is that of its inputs; down has a row for each output. */
  readonly weights: ExpertWeights | LowBitWeights;
  /** [tokens][hidden] bits, with the hidden size of these weights. */
  readonly inputs: Uint16Array;
}

/** At most this many numbers of 16 bits, or groups of MXFP4 or MXFP8, add up to a bias. */
const maxParts = 4;

/** FP32 has no more bits in a significand; a group of MXFP4 adds up to 384 halves. */
const groupBits = 8;

/** Operands for which a gate function returns exactly one. */
interface UnitOperands {
  readonly gate: number;
  readonly up: number;
}

/** Exponents of act(gate), the usual one first: there every function but ReLU squared returns its operand. */
const exponents = [4, ...Array.from({ length: 13 }, (_, i) => 3 - i)];

/**
 * Operands for which the gate function returns one: act(gate) is a power of two, and the up
 * operand, with its clamp and increment, is the reciprocal. @throws NeardataError `bad-input` if
 * such operands do not exist
 */
function operandsOfOne(name: string, format: FloatFormat, gate: GateFunction): UnitOperands {
  const one = toBits(format, 1);
  const infinity = toBits(format, Infinity);
  for (const exponent of exponents) {
    const value = 2 ** exponent;
    const up = 1 / value - (gate.upPlusOne === true ? 1 : 0);
    const same = toBits(format, value);
    const all = Array.from({ length: infinity }, (_, bits) => bits);
    const matching = [same, ...all].find(
      (bits) => gated(bits, toBits(format, up), gate, format) === one,
    );
    if (matching !== undefined) return { gate: fromBits(format, matching), up };
  }
  throw refused(
    name,
    `no operands of ${gateFunctionLabel(gate)} give one, which biases of down need on the unit.`,
  );
}

type Unit = Pick<NdpUnitParameters, "multipliersPerStream" | "lanes" | "alignedBits">;

/**
 * The expert without biases; as it is where it has none. `gateFunction`: its activation.
 * @throws NeardataError `bad-input` where a bias is not exact as a sum of weights, where inputs are NaN or
 * infinite (the rows that make ones would be, too), where the scales of columns do not end with a block.
 */
export function biasesAsColumns(
  unit: Unit,
  weights: ExpertWeights | LowBitWeights,
  inputs: Uint16Array,
  gateFunction: ActivationFunction | GateFunction,
): BiasesAsColumns {
  const { biases } = weights;
  if (biases === undefined) return { weights, inputs };
  if (!valuesOf(weights.format, inputs).every(Number.isFinite)) {
    throw refused(weights.name, "with biases the unit computes finite inputs only.");
  }
  const ones =
    biases.down === undefined
      ? { gate: 0, up: 0 }
      : operandsOfOne(weights.name, weights.format, gateOf(gateFunction));
  return "storage" in weights
    ? lowBitColumns(unit, weights, { ...biases, ones }, inputs)
    : wideColumns(unit, weights, { ...biases, ones }, inputs);
}

/**
 * The columns of a matrix's biases: `count` columns from `begin` on, the last of `columns`; count
 * 0: no biases.
 */
interface Columns {
  readonly begin: number;
  readonly count: number;
  readonly columns: number;
}

function columnsAfter(columns: number, block: number, count: number): Columns {
  const begin = Math.ceil(columns / block) * block;
  return { begin, count, columns: begin + count };
}

/**
 * The shape on the unit of an expert with biases of gate, up and down, of which each is one weight: the least that it
 * occupies, since more columns of biases end in the same block.
 */
export function shapeWithBiases(
  unit: Unit,
  { hidden, intermediate }: { readonly hidden: number; readonly intermediate: number },
): { readonly hidden: number; readonly outputs: number; readonly intermediate: number } {
  const block = blockOf(unit);
  return {
    hidden: columnsAfter(hidden, block, 1).columns,
    outputs: hidden,
    intermediate: columnsAfter(intermediate, block, 1).columns,
  };
}

function blockOf({ multipliersPerStream, lanes }: Unit): number {
  return multipliersPerStream * lanes;
}

/** Biases, and the operands of gate and up from which the gate function computes down's input of one. */
interface BiasesAndOnes extends Biases {
  readonly ones: UnitOperands;
}

/** The biases of each row of a matrix that has the rows for down's input of one as well. */
function biasOfRows(
  biases: Float32Array | undefined,
  rows: number,
  ones: Columns | null,
  one: number,
): Float64Array {
  const all = new Float64Array(ones === null ? rows : ones.columns);
  all.set(biases ?? []);
  if (ones !== null) all.fill(one, ones.begin);
  return all;
}

/** The rows of the three matrices with their biases, and where the columns of these are. */
interface Plan<Part> {
  readonly gateUp: Columns;
  readonly down: Columns;
  readonly parts: Readonly<Record<"gate" | "up" | "down", readonly (readonly Part[])[]>>;
}

/** `partsOf` makes weights of a bias, and a part has `width` columns. Gate and up have a row for each of down's. */
function planOf<Part>(
  { hidden, intermediate }: { readonly hidden: number; readonly intermediate: number },
  biases: BiasesAndOnes,
  block: number,
  width: number,
  partsOf: (bias: number) => readonly Part[],
): Plan<Part> {
  const most = (lists: readonly (readonly Part[])[]): number =>
    Math.max(1, ...lists.map(({ length }) => length));
  const listOf = (values: Float64Array): readonly (readonly Part[])[] =>
    Array.from(values, (value) => partsOf(value));
  const downRows = listOf(biasOfRows(biases.down, hidden, null, 0));
  const down = biases.down
    ? columnsAfter(intermediate, block, width * most(downRows))
    : { begin: intermediate, count: 0, columns: intermediate };
  const gate = listOf(biasOfRows(biases.gate, intermediate, down, biases.ones.gate));
  const up = listOf(biasOfRows(biases.up, intermediate, down, biases.ones.up));
  const gateUp = columnsAfter(hidden, block, width * Math.max(most(gate), most(up)));
  return { gateUp, down, parts: { gate, up, down: downRows } };
}

/** Inputs of a larger hidden size, with ones where biases are. */
function withOnes(
  format: FloatFormat,
  hidden: number,
  { begin, columns }: Columns,
  inputs: Uint16Array,
): Uint16Array {
  const tokens = inputs.length / hidden;
  const all = new Uint16Array(tokens * columns);
  for (let token = 0; token < tokens; token += 1) {
    all.set(inputs.subarray(token * hidden, (token + 1) * hidden), token * columns);
    all.fill(toBits(format, 1), token * columns + begin, (token + 1) * columns);
  }
  return all;
}

function wideColumns(
  unit: Unit,
  weights: ExpertWeights,
  biases: BiasesAndOnes,
  inputs: Uint16Array,
): BiasesAsColumns {
  const { biases: _, biasTensors: __, ...plain } = weights;
  const { format, hidden, intermediate, name } = weights;
  const partsOf = (bias: number): readonly number[] => floatParts(unit, format, name, bias);
  const { gateUp, down, parts } = planOf(weights, biases, blockOf(unit), 1, partsOf);
  const widened = (
    matrix: Uint16Array,
    columns: number,
    place: Columns,
    rows: readonly (readonly number[])[],
  ): Uint16Array => {
    const all = new Uint16Array(rows.length * place.columns);
    for (let row = 0; row * columns < matrix.length; row += 1) {
      all.set(matrix.subarray(row * columns, (row + 1) * columns), row * place.columns);
    }
    for (const [row, codes] of rows.entries()) all.set(codes, row * place.columns + place.begin);
    return all;
  };
  return {
    weights: {
      ...plain,
      hidden: gateUp.columns,
      intermediate: down.columns,
      gate: widened(weights.gate, hidden, gateUp, parts.gate),
      up: widened(weights.up, hidden, gateUp, parts.up),
      down: widened(weights.down, intermediate, down, parts.down),
    },
    inputs: withOnes(format, hidden, gateUp, inputs),
  };
}

/** Numbers of the format that add up to a bias, the largest first, as bits. */
function floatParts(
  { alignedBits = 44 }: Unit,
  format: FloatFormat,
  name: string,
  bias: number,
): readonly number[] {
  const parts: number[] = [];
  let [rest, lowest] = [bias, 0];
  while (rest !== 0 && parts.length < maxParts) {
    const bits = toBits(format, rest);
    const value = fromBits(format, bits);
    // Lowest bit of a product that survives the alignment to the largest product of its block.
    if (parts.length === 0) lowest = 2 ** (exponentOf(format, value) + 2 - alignedBits);
    if (!Number.isFinite(value) || value === 0 || !Number.isInteger(value / lowest)) break;
    parts.push(bits);
    rest -= value;
  }
  if (rest === 0) return parts;
  throw refused(name, `the bias ${bias} is not a sum of ${format.toUpperCase()} weights.`);
}

/** The exponent of a number of the format; that of the smallest normal number below it. */
function exponentOf(format: FloatFormat, value: number): number {
  return Math.max(Math.floor(Math.log2(Math.abs(value))), format === "fp16" ? -14 : -126);
}

function lowBitColumns(
  unit: Unit,
  weights: LowBitWeights,
  biases: BiasesAndOnes,
  inputs: Uint16Array,
): BiasesAsColumns {
  const { biases: _, biasTensors: __, ...plain } = weights;
  const { format, hidden, name, storage } = weights;
  const block = blockOf(unit);
  if (storage === "nvfp4") {
    throw refused(
      name,
      "the unit computes an expert of NVFP4 with biases as a sum of FP8 matrices only.",
    );
  }
  const partsOf = (bias: number): readonly LowBitPart[] => {
    if (!hasByteScales(storage)) return factorParts(storage, bias);
    return storage === "mxfp4" ? mxfp4Parts(unit, name, bias) : mxfp8Parts(unit, name, bias);
  };
  const width = hasExponentScales(storage) ? mxGroup : 1;
  const { gateUp, down, parts } = planOf(weights, biases, block, width, partsOf);
  const widened = (
    matrix: LowBitMatrix,
    place: Columns,
    rows: readonly (readonly LowBitPart[])[],
  ): LowBitMatrix => {
    if (place.count === 0) return matrix;
    const { rest } = matrix;
    const none = rows.map(() => []);
    return {
      ...extended(name, matrix, place, rows, block),
      ...defined({ rest: rest && widened(rest, place, none) }),
    };
  };
  return {
    weights: {
      ...plain,
      hidden: gateUp.columns,
      intermediate: down.columns,
      gate: widened(weights.gate, gateUp, parts.gate),
      up: widened(weights.up, gateUp, parts.up),
      down: widened(weights.down, down, parts.down),
    },
    inputs: withOnes(format, hidden, gateUp, inputs),
  };
}

/** Codes that share a scale, and the scale. */
interface LowBitPart {
  readonly codes: readonly number[];
  readonly scale: number;
}

type FactorScaled = Exclude<LowBitFormat, ByteScaled>;

const oneCode: Readonly<Record<FactorScaled, number>> = {
  fp8: 0x38,
  int8: 1,
  int4: 1,
};

/** A code of one, whose FP32 factor is the bias. */
function factorParts(format: FactorScaled, bias: number): readonly LowBitPart[] {
  return bias === 0 ? [] : [{ codes: [oneCode[format]], scale: bias }];
}

/** Magnitudes of E2M1 in halves, by their codes, the largest first. */
const halves: readonly (readonly [code: number, halves: number])[] = [
  [7, 12],
  [6, 8],
  [5, 6],
  [4, 4],
  [3, 3],
  [2, 2],
  [1, 1],
];

/** Groups whose codes add up to a bias, the largest scale first: each has eight bits of it. */
function mxfp4Parts({ alignedBits = 44 }: Unit, name: string, bias: number): readonly LowBitPart[] {
  const sign = bias < 0 ? 8 : 0;
  const parts: LowBitPart[] = [];
  let rest = Math.abs(bias);
  while (rest !== 0 && parts.length < maxParts) {
    // The value of half a unit of the group is 2^(scale - 128).
    const scale = Math.max(0, Math.floor(Math.log2(rest)) + 1 - groupBits + 128);
    const first = parts[0]?.scale ?? scale;
    const most = Math.floor(rest / 2 ** (scale - 128));
    if (first - scale > alignedBits - 5) break;
    parts.push({ codes: halvesOf(most).map((code) => code | sign), scale });
    rest -= most * 2 ** (scale - 128);
  }
  if (rest === 0) return parts;
  throw refused(name, `the bias ${bias} is not a sum of MXFP4 weights.`);
}

/**
 * Groups whose codes add up to a bias. A code has four bits of it, the next code bits below them; a group has
 * codes from the exponent 14 down to the exponent 1.
 */
function mxfp8Parts({ alignedBits = 44 }: Unit, name: string, bias: number): readonly LowBitPart[] {
  const sign = bias < 0 ? 0x80 : 0;
  const parts: LowBitPart[] = [];
  let rest = Math.abs(bias);
  const top = exponentBelow(rest);
  while (rest !== 0 && parts.length < maxParts) {
    // A code of the exponent 14 is 8 to 15 times 2^4, and the scale is 2^(scale - 127).
    const scale = exponentBelow(rest) + 120;
    if (scale < 8 || scale > 247) break;
    const codes: number[] = [];
    for (let elementExponent = 14; elementExponent >= 1 && rest !== 0; elementExponent -= 1) {
      const exponent = scale - 127 + elementExponent - 7;
      // A product below this exponent loses bits in the alignment to the largest product of its
      // block.
      if (top - exponent > alignedBits - 5) break;
      const digits = Math.floor(rest / 2 ** (exponent - 3));
      if (digits < 8) continue;
      codes.push(sign | (elementExponent << 3) | (digits - 8));
      rest -= digits * 2 ** (exponent - 3);
    }
    if (codes.length === 0) break;
    parts.push({ codes, scale });
  }
  if (rest === 0) return parts;
  throw refused(name, `the bias ${bias} is not a sum of MXFP8 weights.`);
}

/** The exponent of the power of two that a positive number is not below. */
function exponentBelow(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  return 2 ** exponent > value ? exponent - 1 : exponent;
}

/** Codes whose halves add up to a number below 2^8: at most 23. */
function halvesOf(number: number): readonly number[] {
  const codes: number[] = [];
  let rest = number;
  for (const [code, value] of halves) {
    for (; rest >= value; rest -= value) codes.push(code);
  }
  return codes;
}

/** A matrix of `place.columns` columns, with the parts of each row's bias in the last ones. */
function extended(
  name: string,
  matrix: LowBitMatrix,
  { begin, columns }: Columns,
  rows: readonly (readonly LowBitPart[])[],
  block: number,
): LowBitMatrix {
  const { format } = matrix;
  const group = groupUpTo(name, matrix, begin, block / 2);
  const across = Math.ceil(columns / group);
  const old = Math.ceil(matrix.columns / matrix.group);
  const codes = new Uint8Array(rows.length * columns);
  const scales = hasExponentScales(format)
    ? new Uint8Array(rows.length * across).fill(127)
    : new Float32Array(rows.length * across).fill(1);
  for (const [row, parts] of rows.entries()) {
    if (row < matrix.rows) {
      codes.set(
        matrix.codes.subarray(row * matrix.columns, (row + 1) * matrix.columns),
        row * columns,
      );
      for (let newGroup = 0; newGroup * group < matrix.columns; newGroup += 1) {
        const from = row * old + Math.floor((newGroup * group) / matrix.group);
        scales[row * across + newGroup] = present(matrix.scales[from]);
      }
    }
    for (const [index, part] of parts.entries()) {
      codes.set(part.codes, row * columns + begin + index * group);
      scales[row * across + begin / group + index] = part.scale;
    }
  }
  return { format, rows: rows.length, columns, codes, group, scales };
}

/**
 * Columns that share a scale, chosen so that a group ends before the biases. Each half of a block
 * retains its scales, and no half needs more passes over the inputs: in a further pass, zeros times
 * an infinity would be NaN.
 */
function groupUpTo(
  name: string,
  { columns, format, group }: LowBitMatrix,
  begin: number,
  half: number,
): number {
  if (hasExponentScales(format)) return group;
  const inside = begin % group === 0 ? group : half;
  const column = group >= columns ? begin : inside;
  const ends = column === begin || column === group || group % half === 0;
  if (ends && repeatsOf(columns, group, half) === repeatsOf(begin, column, half)) return column;
  throw refused(name, `with biases, groups of ${group} columns must fill the blocks of the unit.`);
}

function refused(where: string, message: string): NeardataError {
  return new NeardataError("bad-input", [{ where, message }]);
}
