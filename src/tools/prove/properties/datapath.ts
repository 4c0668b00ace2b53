// SPDX-License-Identifier: Apache-2.0
// Properties of the NDP unit's datapath: the values of codes and scales of low-bit weights, and the sums of a bank of
// serial multipliers.

import { harness, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

const area = "arithmetic";

/** The serial multiplier with one or two bits per cycle. */
const serialStep = (name: string, bits: 1 | 2): Harness =>
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
        "A load sets the significands to those of the FP16 or BF16 operands, and the partial product to 0.",
        "acc_q[lane(c)+i] = acc_q[lane(c)+i] & {{Sig{1'b0}}, {Low{1'b1}}};",
        "acc_q[lane(c)+i] = acc_q[lane(c)+i];",
      ],
      [
        "Step",
        `A step adds weight times digit to the partial product; a digit has ${bits === 1 ? "one bit" : "two bits"}.`,
        "if (|age_i[c+1+:Steps]) begin",
        "if (|age_i[c+1+:Steps-1]) begin",
      ],
      [
        "Stays",
        "Only a load or a step changes the operands and the partial product.",
        "if (|age_i[c+1+:Steps]) begin",
        "if (|age_i[c+1+:Steps+1]) begin",
      ],
    ]),
  });

/** A bank of four multipliers with two lanes, in an array of `ArrayMults` multipliers per stream. */
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
        "A multiplier outputs its product, shifted right to the largest exponent sum and truncated to `AlignedBits` bits.",
        "saturate = (|distance[ESum-1:Shift]) ? {Shift{1'b1}} : distance[Shift-1:0];",
        "saturate = distance[Shift-1:0];",
      ],
      [
        "Pairs",
        "The first level of the adder tree outputs the exact sum of each pair of multipliers.",
        "carry_q[level(l)+i] = carry_q[level(l-1)+2*i+1];",
        "carry_q[level(l)+i] = carry_q[level(l-1)+2*i];",
      ],
      [
        "Sum",
        "The sum of the bank, with its carry, is the exact sum of the pairs of the first level.",
        "root_carry_q[s] <= carry_q[level(l-1)+2*s+1];",
        "root_carry_q[s] <= carry_q[level(l-1)+2*s];",
      ],
      [
        "Rank",
        "The rank has the largest exponent sum of the finite products that are not 0, and the NaN and " +
          "infinities of all products.",
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
    // A burst of eight words contains the scales of two blocks.
    parameters: { Mults: 8, Lanes: 8 },
    engine: window(3),
    properties: [
      ...properties("ndp_pkg", [
        [
          "Mxfp4",
          "Every code of MXFP4 with every exponent of its scale has the value of the format's definition.",
          "field = scale | ExpBits'(scale == '0);",
          "field = scale;",
        ],
        [
          "Fp8",
          "Every code of FP8 (E4M3) has the value of the format's definition, including subnormals and NaN.",
          "own = code[6:3] | 4'(code[6:3] == '0);",
          "own = code[6:3];",
        ],
        [
          "Mxfp8",
          "Every code of MXFP8 (E4M3) with every exponent of its scale has the value of the format's definition.",
          "(nonzero & (sum[ExpBits] | &field | ~|field));",
          "(nonzero & (sum[ExpBits] | &field));",
        ],
        [
          "Nvfp4",
          "Every code of NVFP4 with every scale has the value of the format's definition, the product of code and scale.",
          "3'd2, 3'd5: halves_times = odd << 1;",
          "3'd2, 3'd5: halves_times = odd << 2;",
        ],
        [
          "Int8",
          "Every code of INT8 has the value of its integer, including -128.",
          "size = {code[7] & ~nonzero, code[6:0]};",
          "size = {1'b0, code[6:0]};",
        ],
        [
          "Int4",
          "Every code of INT4 has the value of its integer, including -8, in each of the four lanes of a word.",
          "code = part[1] ? word[15:8] : word[7:0];",
          "code = part[0] ? word[15:8] : word[7:0];",
        ],
        [
          "Wide",
          "Every FP16 and BF16 number has the value of its format, including subnormals, infinities and NaN.",
          "field | ones | ExpBits'(subnormal),",
          "field | ones,",
        ],
      ]),
      ...properties("ndp_weight_scales", [
        [
          "Factors",
          "The factors of a block are those in the stored burst; for NVFP4, the factor of the matrix.",
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
