// SPDX-License-Identifier: Apache-2.0
// NVFP4: E2M1 codes, two a byte with the first in the low bits; an E4M3 scale for 16 columns; and one FP32
// number for the whole matrix.
// - ModelOpt: `weight` U8 [rows, columns / 2], `weight_scale` F8_E4M3 [rows, columns / 16],
//   `weight_scale_2` F32, which multiplies, `input_scale`
// - compressed-tensors: `weight_packed`, `weight_scale` alike, `weight_global_scale` F32, which divides,
//   `input_global_scale`
// The inverse of `weight_global_scale` is rounded to FP32.

import { nvfp4Group, type LowBitMatrix } from "../../golden/low-bit.ts";
import { nibbles } from "../../base/bytes.ts";
import { bytesOf, described } from "./expert-tensors.ts";
import type { MatrixTensors } from "./matrix-tensors.ts";

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
  return {
    format: "nvfp4",
    rows,
    columns,
    codes: nibbles(bytesOf(packed)),
    group: nvfp4Group,
    scales: bytesOf(scale),
    factor: Math.fround(divides ? 1 / whole : whole),
  };
}
