// SPDX-License-Identifier: Apache-2.0
// A matrix of F16, BF16 or F32 within a tensor, as bits of FP16 or BF16, row by row.

import { inputError } from "../../base/errors.ts";
import type { FloatFormat } from "../../golden/activation.ts";
import { fromBits, toBits } from "../../golden/float16.ts";
import { tensorLabel } from "../../base/format-value.ts";
import { present } from "../../base/present.ts";
import type { StoredTensor } from "../checkpoint.ts";

/**
 * Element (row, column) is element `begin` + row * `stride` + column of the tensor; of a matrix that is
 * stored `turned`, `begin` + column * `stride` + row * `step`.
 */
export interface MatrixView {
  readonly tensor: StoredTensor;
  readonly rows: number;
  readonly columns: number;
  readonly begin: number;
  readonly stride: number;
  readonly turned: boolean;
  readonly step: number;
}

/** Whether values may be rounded, and the key or option that allows it. */
interface Rounding {
  readonly rounds: boolean;
  readonly hint: string;
}

/** Tensors are read in pieces of at most so many elements. */
const pieceElements = 1 << 20;

/** @throws NeardataError `bad-input` when a value has to be rounded unasked. */
export function readView(view: MatrixView, format: FloatFormat, rounding: Rounding): Uint16Array {
  const { tensor, rows, columns, begin, stride, turned, step } = view;
  const bits = new Uint16Array(rows * columns);
  if (!turned && stride === columns) {
    for (let at = 0; at < bits.length; at += pieceElements) {
      const count = Math.min(pieceElements, bits.length - at);
      bits.set(convert(tensor, begin + at, count, format, rounding), at);
    }
    return bits;
  }
  const [lines, length] = turned ? [columns, (rows - 1) * step + 1] : [rows, columns];
  for (let line = 0; line < lines; line += 1) {
    const piece = convert(tensor, begin + line * stride, length, format, rounding);
    if (!turned) bits.set(piece, line * length);
    else
      for (let row = 0; row < rows; row += 1)
        bits[row * columns + line] = present(piece[row * step]);
  }
  return bits;
}

/** `count` elements of a tensor from element `begin` on, in `format`. */
function convert(
  tensor: StoredTensor,
  begin: number,
  count: number,
  format: FloatFormat,
  { rounds, hint }: Rounding,
): Uint16Array {
  const storedFormat =
    tensor.dtype === "F16" ? "fp16" : tensor.dtype === "BF16" ? "bf16" : undefined;
  const itemBytes = storedFormat === undefined ? 4 : 2;
  const raw = new Uint8Array(count * itemBytes);
  tensor.source.read(tensor.begin + begin * itemBytes, raw);
  if (storedFormat === format) return new Uint16Array(raw.buffer);
  const values =
    storedFormat === undefined
      ? new Float32Array(raw.buffer)
      : Float32Array.from(new Uint16Array(raw.buffer), (b) => fromBits(storedFormat, b));
  const bits = new Uint16Array(count);
  for (const [i, value] of values.entries()) {
    const rounded = toBits(format, value);
    if (!rounds && !Object.is(fromBits(format, rounded), value)) {
      const where = `${tensorLabel(tensor.name)}[${placeIn(tensor.shape, begin + i)}]`;
      throw inputError(
        tensor.source.name,
        `${where} = ${value} (${tensor.dtype}) is not exactly an ${format.toUpperCase()} ` +
          `value; ${hint} allows rounding to nearest even.`,
      );
    }
    bits[i] = rounded;
  }
  return bits;
}

/** The position of element `index` of the matrix, row by row, in its tensor. */
export function elementLocation(view: MatrixView, index: number): string {
  const { columns, begin, stride, turned, step, tensor } = view;
  const [row, column] = [Math.floor(index / columns), index % columns];
  const [line, along] = turned ? [column, row * step] : [row, column];
  return placeIn(tensor.shape, begin + line * stride + along);
}

/** Indices of an element of a tensor. */
function placeIn(shape: readonly number[], index: number): string {
  const places: number[] = [];
  let rest = index;
  for (const size of [...shape].reverse()) {
    places.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return places.join(", ");
}
