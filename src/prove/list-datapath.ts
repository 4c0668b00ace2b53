// SPDX-License-Identifier: Apache-2.0
// What is proven of the NDP unit's datapath: what codes and scales of low-bit weights mean, and the sums of
// a bank of serial multipliers.

import { harness, properties, window } from "./entry.ts";
import type { Harness } from "./types.ts";

const area = "arithmetic";

export const datapathHarnesses: readonly Harness[] = [
  harness({
    name: "ndp_weight_scales",
    module: "ndp_weight_scales",
    area,
    // A burst of eight words has the scales of two blocks.
    parameters: { Mults: 8, Lanes: 8 },
    engine: window(3),
    properties: [
      ...properties("ndp_pkg", [
        [
          "Mxfp4",
          "Every code of MXFP4 with every exponent of its scale is the number of its definition.",
          "field = scale | ExpBits'(scale == '0);",
          "field = scale;",
        ],
        [
          "Fp8",
          "Every code of FP8 (E4M3) is the number of its definition, subnormals and NaN too.",
          "field = {4'b0000, code[6:3]} | ExpBits'(code[6:3] == '0);",
          "field = {4'b0000, code[6:3]};",
        ],
        [
          "Int8",
          "Every code of INT8 is its integer, -128 too.",
          "size = {code[7] & ~nonzero, code[6:0]};",
          "size = {1'b0, code[6:0]};",
        ],
        [
          "Int4",
          "Every code of INT4 is its integer, -8 too, of each of four lanes in a word.",
          "code = part[1] ? word[15:8] : word[7:0];",
          "code = part[0] ? word[15:8] : word[7:0];",
        ],
        [
          "Wide",
          "Every FP16 and BF16 number is what its format says, subnormals and specials too.",
          "field | ones | ExpBits'(subnormal),",
          "field | ones,",
        ],
      ]),
      ...properties("ndp_weight_scales", [
        [
          "Scales",
          "The scales of a block are those of its place in the burst that was kept.",
          "burst_q[s*BurstBits+block_i*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits];",
          "weights_i[s*BurstBits+block_i*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits];",
        ],
      ]),
    ],
  }),
];
