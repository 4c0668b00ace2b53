// SPDX-License-Identifier: Apache-2.0
// Properties of the NDP unit's datapath: the values of codes and scales of low-bit weights, and the sums of a bank of
// serial multipliers.

import { harness, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

const area = "arithmetic";

/** The serial multiplier with so many bits a cycle. */
const serialStep = (name: string, bits: number): Harness =>
  harness({
    name,
    top: "prove_ndp_serial_step",
    module: "ndp_gemv_bank",
    area,
    parameters: { Bits: bits },
    engine: window(2),
    properties: properties("ndp_gemv_bank", [
      [
        "Begins",
        "A load leaves significands of FP16 and BF16 and a partial product of 0.",
        "acc_q[lane(c)+i] = acc_q[lane(c)+i] & {{Sig{1'b0}}, {Low{1'b1}}};",
        "acc_q[lane(c)+i] = acc_q[lane(c)+i];",
      ],
      [
        "Step",
        `A step adds the weight times (*) the next digit, of ${bits} bits a cycle, to the partial product.`,
        "if (|age_i[c+1+:Steps]) begin",
        "if (|age_i[c+1+:Steps-1]) begin",
      ],
      [
        "Stays",
        "Nothing but a load and a step changes operands and partial product.",
        "if (|age_i[c+1+:Steps]) begin",
        "if (|age_i[c+1+:Steps+1]) begin",
      ],
    ]),
  });

/** Four multipliers of two lanes each, as a bank of an array of `ArrayMults` a stream. */
const bank = (name: string, parameters: Readonly<Record<string, number>>): Harness =>
  harness({
    name,
    top: "prove_ndp_gemv_bank",
    module: "ndp_gemv_bank",
    area,
    parameters,
    engine: window(7),
    separately: true,
    seconds: 240,
    quick: false,
    properties: properties("ndp_gemv_bank", [
      [
        "Aligned",
        "A multiplier hands on its product, cut where the shift to the largest exponent cuts it.",
        "saturate = (|distance[ESum-1:Shift]) ? {Shift{1'b1}} : distance[Shift-1:0];",
        "saturate = distance[Shift-1:0];",
      ],
      [
        "Pairs",
        "The first level of the tree hands on the exact sum of two multipliers.",
        "carry_q[level(l)+i] = carry_q[level(l-1)+2*i+1];",
        "carry_q[level(l)+i] = carry_q[level(l-1)+2*i];",
      ],
      [
        "Sum",
        "The bank's sum with its carry is the exact sum of the pairs.",
        "root_carry_q[s] <= carry_q[level(l-1)+2*s+1];",
        "root_carry_q[s] <= carry_q[level(l-1)+2*s];",
      ],
      [
        "Rank",
        "The rank is the largest exponent sum of finite products, with NaN and infinities of all.",
        "& {ESum{~(inf | w_zero | x_zero)}};",
        "& {ESum{~(w_zero | x_zero)}};",
      ],
    ]),
  });

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
          "own = code[6:3] | 4'(code[6:3] == '0);",
          "own = code[6:3];",
        ],
        [
          "Mxfp8",
          "Every code of MXFP8 (E4M3) with every exponent of its scale is the number of its definition.",
          "(nonzero & (sum[ExpBits] | &field | ~|field));",
          "(nonzero & (sum[ExpBits] | &field));",
        ],
        [
          "Nvfp4",
          "Every code of NVFP4 with every scale is the product of its definition.",
          "3'd2, 3'd5: halves_times = odd << 1;",
          "3'd2, 3'd5: halves_times = odd << 2;",
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
          "Factors",
          "The factors of a block are those in the stored burst, or that of an NVFP4 matrix.",
          "? weights_i[s*BurstBits+:ndp_pkg::ScaleBits]",
          "? burst_q[s*BurstBits+:ndp_pkg::ScaleBits]",
        ],
      ]),
    ],
  }),
  serialStep("ndp_serial_step", 1),
  serialStep("ndp_serial_step_two_bits", 2),
  bank("ndp_gemv_bank", { Bits: 1, ArrayMults: 4 }),
  bank("ndp_gemv_bank_of_array", { Bits: 2, ArrayMults: 64 }),
  bank("ndp_gemv_bank_cut", { Bits: 1, ArrayMults: 4, AlignedBits: 16 }),
];
