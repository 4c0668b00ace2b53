// SPDX-License-Identifier: Apache-2.0
// Properties of arithmetic, compared with the definition of IEEE rounding in testbench/prove.

import { harness, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

const area = "arithmetic";

const narrow = harness({
  name: "fp_narrow",
  module: "fp_narrow",
  area,
  engine: window(3),
  properties: properties("fp_narrow", [
    [
      "Fp16",
      "Every finite FP32 number is rounded to FP16, to nearest even, including subnormal results and overflow.",
      "value_i[30:23] <= 8'd100 ? 4'd13",
      "value_i[30:23] <= 8'd103 ? 4'd13",
    ],
    [
      "Bf16",
      "Every finite FP32 number is rounded to BF16, to nearest even.",
      "|value_i[14:0]}",
      "|value_i[13:0]}",
    ],
    [
      "NaN",
      "Every NaN becomes the canonical NaN of the format.",
      "16'h7fc0 : 16'h7e00",
      "16'h7f80 : 16'h7e00",
    ],
    [
      "Infinity",
      "Every infinity becomes the infinity of the same sign.",
      "inf_q <= value_i[30:23] >= 8'd143;",
      "inf_q <= 1'b0;",
    ],
  ]),
});

const add = (
  name: string,
  operands: string,
  quick: boolean,
  parameters: Harness["parameters"],
): Harness =>
  harness({
    name,
    top: "prove_fp_add",
    module: "fp_add",
    area,
    parameters,
    engine: window(7),
    quick,
    seconds: 300,
    properties: properties("fp_add", [
      [
        "Rounded",
        `The exact sum is rounded once, to nearest even, for ${operands}.`,
        "up = sum_q4[3] & (sum_q4[4] | (sum_q4[2:0] != '0));",
        // For numbers of one exponent the sum has one more bit, so the only rounding cases are
        // ties.
        name === "fp_add_0"
          ? "up = sum_q4[3];"
          : "up = sum_q4[3] & (sum_q4[4] | (sum_q4[1:0] != '0));",
      ],
    ]),
  });

/** The conversion of the NDP unit's sums of products to FP32. */
const normalise = (name: string, parameters: Readonly<Record<string, number>>): Harness =>
  harness({
    name,
    top: "prove_fp_normalise",
    module: "fp_normalise",
    area,
    parameters,
    engine: window(6),
    properties: properties("fp_normalise", [
      [
        "Fp16",
        "A fixed-point sum of FP16 products is rounded to the nearest FP32 number, for every sum and exponent.",
        "SumBits - AlignedBits + 127 - 30)",
        "SumBits - AlignedBits + 128 - 30)",
      ],
      [
        "Bf16",
        "A fixed-point sum of BF16 products is rounded to the nearest FP32 number, including subnormal " +
          "results and overflow.",
        "places = (down > E'(26)) ? 5'd26 : down[4:0];",
        "places = down[4:0];",
      ],
      [
        "NaN",
        "A NaN, or infinities of both signs, result in the canonical NaN.",
        "special_q3[2] || (special_q3[1] && special_q3[0])",
        "special_q3[2]",
      ],
      [
        "Infinity",
        "Infinities of only one sign result in the infinity of this sign.",
        "{special_q3[0], 31'h7f800000}",
        "{special_q3[1], 31'h7f800000}",
      ],
    ]),
  });

export const arithmeticHarnesses: readonly Harness[] = [
  narrow,
  add("fp_add_bf16", "all pairs of BF16 operands at most 26 exponents apart", false, {
    SigBits: 8,
    Most: 26,
  }),
  add("fp_add_fp16", "all pairs of FP16 operands", false, { SigBits: 11, Most: 39, Fp16Range: 1 }),
  add("fp_add_0", "all pairs of FP32 operands of one exponent", false, { SigBits: 24, Most: 0 }),
  add("fp_add_1", "all pairs of FP32 operands one exponent apart", false, {
    SigBits: 24,
    Least: 1,
    Most: 1,
  }),
  add("fp_add_2", "all pairs of FP32 operands two exponents apart", false, {
    SigBits: 24,
    Least: 2,
    Most: 2,
  }),
  add("fp_add_3", "all pairs of FP32 operands three exponents apart", false, {
    SigBits: 24,
    Least: 3,
    Most: 3,
  }),
  add("fp_add_12", "all pairs of FP32 operands 12 exponents apart", false, {
    SigBits: 24,
    Least: 12,
    Most: 12,
  }),
  add("fp_add_24", "all pairs of FP32 operands 24 exponents apart", false, {
    SigBits: 24,
    Least: 24,
    Most: 24,
  }),
  add("fp_add_25", "all pairs of FP32 operands 25 exponents apart", false, {
    SigBits: 24,
    Least: 25,
    Most: 25,
  }),
  harness({
    name: "fp_add_rules",
    module: "fp_add",
    area,
    engine: window(7),
    properties: properties("fp_add", [
      [
        "NaN",
        "A sum with a NaN operand, or of infinities of opposite signs, is the canonical NaN, for all FP32 operands.",
        "(a_special && b_special && a_i[31] != b_i[31]);",
        "(a_special && b_special && a_i[31] == b_i[31]);",
      ],
      [
        "Infinity",
        "If an operand is infinite and the sum is not NaN, the sum is this infinity, for all FP32 operands.",
        "inf_q0 <= a_special || b_special;",
        "inf_q0 <= a_special && b_special;",
      ],
      [
        "Opposite",
        "x + -x is +0, for all finite FP32 numbers.",
        "zero_negative_q0 <= a_i[31] & b_i[31];",
        "zero_negative_q0 <= a_i[31] | b_i[31];",
      ],
      [
        "Neutral",
        "x + 0 is x, for all finite FP32 numbers except zeros.",
        "ma = {a_i[30:23] != '0, a_i[22:0]};",
        "ma = {1'b1, a_i[22:0]};",
      ],
      [
        "FarBelow",
        "A sum equals the operand of larger exponent if the exponents are 26 or more apart, for all finite operands.",
        "places = (distance_q0 > 8'd27) ? 5'd27 : distance_q0[4:0];",
        "places = distance_q0[4:0];",
      ],
      [
        "Commutes",
        "a + b equals b + a in every bit, for all FP32 operands.",
        "negative_q0 <= a_larger ? a_i[31] : b_i[31];",
        "negative_q0 <= a_i[31];",
      ],
    ]),
  }),
  normalise("fp_normalise", { SumBits: 53 }),
  // For products that are truncated to 16 bits: the sum is shorter than the significand before rounding.
  normalise("fp_normalise_cut", { SumBits: 25, AlignedBits: 16 }),
  harness({
    name: "sparf_attn_normalise",
    module: "sparf_attn_normalise",
    area,
    parameters: { SumBits: 53 },
    engine: window(10),
    properties: properties("sparf_attn_normalise", [
      [
        "Rounded",
        "A fixed-point sum is rounded to the nearest FP32 number, for every sum and exponent.",
        "mag_q[Shifted][Mag-26:0] != '0",
        "mag_q[Shifted][Mag-27:0] != '0",
      ],
    ]),
  }),
  harness({
    name: "sparf_attn_add_bf16",
    top: "prove_sparf_attn_add",
    module: "sparf_attn_add",
    area,
    parameters: { SigBits: 8, Most: 26 },
    engine: window(12),
    seconds: 300,
    quick: false,
    properties: properties("sparf_attn_add", [
      [
        "Rounded",
        "The exact sum is rounded once, for all permitted BF16 operands (normal or zero, no overflow) " +
          "at most 26 exponents apart.",
        "up_q9[i] = sum_q8[i][3] &&",
        "up_q9[i] = sum_q8[i][2] &&",
      ],
      [
        "Flushed",
        "A sum below the least normal number becomes a zero with its sign, for all permitted BF16 " +
          "operands at most 26 exponents apart.",
        "zero_q9[i] || field_q9[i][9] || field_q9[i] == '0 ?",
        "zero_q9[i] || field_q9[i] == '0 ?",
      ],
    ]),
  }),
  harness({
    name: "sparf_attn_multiply_bf16",
    top: "prove_sparf_attn_multiply",
    module: "sparf_attn_multiply",
    area,
    parameters: { SigBits: 8, OtherBits: 8 },
    engine: window(7),
    seconds: 300,
    quick: false,
    properties: properties("sparf_attn_multiply", [
      [
        "Rounded",
        "The product is exact, for all permitted BF16 operands (normal or zero, no overflow); it has at most 16 bits.",
        "field_q4 <= field_q[3][7:0] + 8'(product_q3[47]);",
        "field_q4 <= field_q[3][7:0] + 8'(product_q3[46]);",
      ],
      [
        "Flushed",
        "A product below the least normal number becomes a zero with its sign, for all permitted BF16 operands.",
        "zero_q[3] || field_q[3][9] ||",
        "zero_q[3] ||",
      ],
    ]),
  }),
  harness({
    name: "sparf_attn_multiply_rounds",
    top: "prove_sparf_attn_multiply",
    module: "sparf_attn_multiply",
    area,
    parameters: { SigBits: 24, OtherBits: 4 },
    engine: window(7),
    seconds: 300,
    quick: false,
    properties: properties("sparf_attn_multiply", [
      [
        "Rounded",
        "The exact product is rounded once, for all permitted FP32 numbers (normal or zero, no " +
          "overflow) times numbers with a significand of four bits.",
        "assign odd = product_q3[47] ?",
        "assign odd = product_q3[46] ?",
      ],
    ]),
  }),
];
