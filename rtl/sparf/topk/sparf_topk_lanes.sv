// SPDX-License-Identifier: Apache-2.0
// Pipeline of keys before counting and ranking: conversion to the order of unsigned numbers, one cycle behind
// the key; then comparison with the threshold, whose known digits are its largest ones and the others 0, one
// cycle behind that. Digits are compared separately, because the carry chain of a whole comparison would need a
// look-up table per bit, and combined behind their register. All digits of a key are compared at once:
// neighbours at a distance of one, two, and so on; the position of a digit's top bit has the result for the
// whole digit.
module sparf_topk_lanes #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned KeyBits = 32,
  parameter int unsigned Float = 1,  // sign and magnitude (binary32 without NaN); -0 equals +0
  parameter int unsigned DigitBits = 4,
  localparam int unsigned Digits = (KeyBits + DigitBits - 1) / DigitBits,
  localparam int unsigned PaddedBits = Digits * DigitBits,  // 0 above the key
  localparam int unsigned IndexBits = $clog2(Digits)
) (
  input  logic                       clk_i,
  input  logic                       key_valid_i,
  input  logic [Lanes*KeyBits-1:0]   key_i,
  input  logic                       ordered_valid_i,  // key_valid_i one cycle ago
  input  logic [PaddedBits-1:0]      threshold_i,
  input  logic [Digits-1:0]          known_i,          // of the threshold
  input  logic [IndexBits-1:0]       index_i,          // of the digit to be counted next
  input  logic                       compared_valid_i, // key_valid_i two cycles ago, otherwise no result
  output logic [Lanes-1:0]           above_o,
  output logic [Lanes-1:0]           equal_o,          // in the known digits
  output logic [Lanes*DigitBits-1:0] digit_o
);
  // A constant as wide as a digit: Yosys 0.23 does not replicate a shift as wide as its cast.
  localparam logic [DigitBits-1:0] Top = DigitBits'(1) << (DigitBits - 1);
  localparam logic [PaddedBits-1:0] Tops = {Digits{Top}};

  logic [Lanes*DigitBits-1:0] digit_q;
  assign digit_o = digit_q;

  // The order inverts all bits of a negative key and only the sign of a positive key: so one flag
  // inverts every bit, which fits into the look-up tables of the comparison.
  logic [KeyBits-1:0] raw_q[Lanes];
  logic flip_q[Lanes];
  // At the tops of digits; unknown digits count as equal.
  logic [Lanes*PaddedBits-1:0] same_q, larger_q;
  logic [PaddedBits-1:0] unknown;
  for (genvar d = 0; d < Digits; d++) begin : gen_unknown
    assign unknown[d*DigitBits +: DigitBits] = DigitBits'(!known_i[d]) << (DigitBits - 1);
  end

  task automatic take();
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [KeyBits-1:0] key;
      key = key_i[l*KeyBits +: KeyBits];
      flip_q[l] = Float != 0 && key[KeyBits-1] && key[KeyBits-2:0] != '0;
      raw_q[l] = Float != 0 ? {1'b1, key[KeyBits-2:0]} : key;
    end
  endtask

  task automatic compare();
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [PaddedBits-1:0] key;
      logic [PaddedBits-1:0] larger;
      logic [PaddedBits-1:0] same;
      key = PaddedBits'(raw_q[l] ^ {KeyBits{flip_q[l]}});
      larger = key & ~threshold_i;
      same = ~(key ^ threshold_i);
      for (int unsigned s = 1; s < DigitBits; s = s * 2) begin
        larger = larger | (same & (larger << s));
        same = same & (same << s);
      end
      larger_q[l*PaddedBits +: PaddedBits] <= larger & Tops;
      same_q[l*PaddedBits +: PaddedBits] <= (same | unknown) & Tops;
      digit_q[l*DigitBits +: DigitBits] <= DigitBits'(key >> (32'(index_i) * DigitBits));
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (ordered_valid_i) compare();
    if (key_valid_i) take();
  end

  // The largest unequal digit decides.
  function automatic logic above(input logic [PaddedBits-1:0] same,
                                 input logic [PaddedBits-1:0] larger);
    logic [PaddedBits-1:0] all;
    logic [PaddedBits-1:0] any;
    all = same;
    any = larger;
    for (int unsigned s = DigitBits; s < PaddedBits; s = s * 2) begin
      any = any | (all & (any << s));
      all = all & (all << s);
    end
    above = any[PaddedBits-1];
  endfunction
  always_comb begin
    above_o = '0;
    equal_o = '0;
    if (compared_valid_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        equal_o[l] = same_q[l*PaddedBits +: PaddedBits] == Tops;
        above_o[l] = above(same_q[l*PaddedBits +: PaddedBits], larger_q[l*PaddedBits +: PaddedBits]);
      end
    end
  end

  if ((DigitBits & (DigitBits - 1)) != 0) begin : gen_bad_digit
    $error("sparf_topk_lanes: DigitBits must be a power of two");
  end
endmodule
