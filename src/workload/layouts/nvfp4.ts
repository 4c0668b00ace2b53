// SPDX-License-Identifier: Apache-2.0
// NVFP4: E2M1 codes, two a byte with the first in the low bits; an E4M3 scale for 16 columns; and one FP32
// number for the whole matrix.
// - ModelOpt: `weight` U8 [rows, columns / 2], `weight_scale` F8_E4M3 [rows, columns / 16],
//   `weight_scale_2` F32, which multiplies, `input_scale`
// - compressed-tensors: `weight_packed`, `weight_scale` alike, `weight_global_scale` F32, which divides,
//   `input_global_scale`
// A code times its scale has at most six significant bits: a sum of E4M3 codes holds it exactly.

import { codeValue, type LowBitMatrix } from "../../golden/low-bit.ts";
import { nibbles } from "../../base/bytes.ts";
import { present } from "../../base/present.ts";
import { bytesOf, described } from "./expert-tensors.ts";
import type { MatrixTensors } from "./matrix-tensors.ts";
import { e4m3Terms } from "./terms.ts";

/** Columns that share an E4M3 scale. */
export const nvfp4Group = 16;
const half = 128;
const e2m1 = Float64Array.from({ length: 16 }, (_, code) => codeValue("mxfp4", code));
const e4m3 = Float64Array.from({ length: 256 }, (_, code) => codeValue("fp8", code));

export function readNvfp4(tensors: MatrixTensors): LowBitMatrix | undefined {
  const divides = tensors.has("weight_packed");
  const packed = tensors.find(divides ? "weight_packed" : "weight", ["U8"]);
  const [rows = 0, bytes = 0] = packed?.shape ?? [];
  const columns = 2 * bytes;
  const scale = tensors.find(
    "weight_scale",
    ["F8_E4M3"],
    packed && [rows, Math.ceil(columns / nvfp4Group)],
  );
  const whole = tensors.whole(divides ? "weight_global_scale" : "weight_scale_2");
  tensors.inputScale(divides ? "input_global_scale" : "input_scale");
  if (packed === undefined || scale === undefined || whole === undefined) return undefined;
  if (columns % nvfp4Group !== 0) {
    tensors.say(`${described(packed)} has ${columns} columns; NVFP4 has ${nvfp4Group} to a scale.`);
    return undefined;
  }
  if (divides && whole === 0) {
    tensors.say(`weight_global_scale of ${described(packed)} is 0, and divides.`);
    return undefined;
  }
  const factor = divides ? 1 / whole : whole;
  const codes = nibbles(bytesOf(packed));
  return nvfp4Matrix({ rows, columns, codes, scales: bytesOf(scale), factor });
}

/** A matrix of E2M1 codes, a byte each, with E4M3 scales for 16 columns and a factor of the whole. */
export function nvfp4Matrix({
  rows,
  columns,
  codes,
  scales,
  factor,
}: {
  readonly rows: number;
  readonly columns: number;
  readonly codes: Uint8Array;
  readonly scales: Uint8Array;
  readonly factor: number;
}): LowBitMatrix {
  const groups = Math.ceil(columns / nvfp4Group);
  return e4m3Terms({
    rows,
    columns,
    segment: half,
    fill: (row, values) => {
      for (let k = 0; k < columns; k += 1) {
        const scale = present(e4m3[present(scales[row * groups + Math.floor(k / nvfp4Group)])]);
        values[k] = present(e2m1[present(codes[row * columns + k])]) * scale;
      }
    },
    factor: () => factor,
  });
}
