// SPDX-License-Identifier: Apache-2.0
// 2^-z of a binary32 z >= 0, one result per cycle, sparf_attn_exp2_pkg::Stages cycles later. z is truncated to
// 26 fraction bits. A table stores 2^-h/128, and a parabola 1 - u + u^2 / 2 interpolates between two entries;
// their product is rounded once, to nearest even. From z = 64 on the result is 0. Relative error below 2^-22.
// Infinities and NaN are not allowed.
`include "assert.svh"
`include "observe.svh"
module sparf_attn_exp2 (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        z_valid_i,
  input  logic [31:0] z_i,
`ifdef NEARDATA_OBSERVE
  output logic        power_valid_o,
`endif
  output logic [31:0] power_o
);
  localparam int unsigned FB = sparf_attn_exp2_pkg::FractionBits;
  localparam int unsigned RB = sparf_attn_exp2_pkg::RestBits;
  localparam int unsigned TB = sparf_attn_exp2_pkg::TableBits;
  localparam int unsigned CB = sparf_attn_exp2_pkg::CurveBits;
  localparam int unsigned WB = sparf_attn_exp2_pkg::WholeBits;
  localparam int unsigned SB = sparf_attn_exp2_pkg::SlopeBits;
  localparam int unsigned Stages = sparf_attn_exp2_pkg::Stages;
  // u is below 2^-7, in units of 2^-CurveBits.
  localparam int unsigned UB = CB - sparf_attn_exp2_pkg::StepBits;
  // The product has FB + CB - 1 fraction bits and is above 2^-1 (less a rounding error).
  localparam int unsigned PB = TB + CB;
  localparam int unsigned PointBit = TB - 1 + CB;
  localparam logic [7:0] Bias = 8'd127;
  localparam logic [7:0] CutoffField = Bias + 8'(WB);
  // An FPGA's multiplier has 24 x 17 unsigned bits; the larger operand is split into two parts.
  localparam int unsigned DB = 17;
  localparam int unsigned HS = RB - DB + SB;  // bits of the slope's upper part
  localparam int unsigned MB = HS / 2;        // bits of a carry chain per cycle
  localparam int unsigned KB = UB - (HS - MB);  // of which these are stored
  localparam int unsigned BB = TB - 2;  // of an entry's distance from 1
  localparam int unsigned HB = CB + 1 - DB;
  localparam int unsigned OB = BB + CB + 1 - (TB - 1);  // of the subtrahend, above LowBits
  localparam int unsigned LowBits = TB - 1;  // of the product, below the bits of the curve
  // A square is below 2^-15, so that it only adds a carry to the bits of the line above.
  localparam int unsigned QB = CB - 15;

  logic [31:0] power_q;
  assign power_o = power_q;

  // The table, transposed into one column per bit of its entries: each bit is selected by the number of the entry
  // alone, without an index multiplied by the width of an entry.
  localparam int unsigned Entries = 1 << sparf_attn_exp2_pkg::StepBits;
  function automatic logic [TB*Entries-1:0] columns();
    for (int unsigned b = 0; b < TB; b++) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        columns[b*Entries + e] = sparf_attn_exp2_pkg::Table[e*TB + b];
      end
    end
  endfunction
  localparam logic [TB*Entries-1:0] Columns = columns();
  function automatic logic [TB-1:0] entry(input logic [sparf_attn_exp2_pkg::StepBits-1:0] number);
    logic [Entries-1:0] column;
    for (int unsigned b = 0; b < TB; b++) begin
      column = Columns[b*Entries +: Entries];
      entry[b] = column[number];
    end
  endfunction

  // Registers are numbered by the stage at whose end they are. From 0 on: the number in fixed point,
  // its significand as for the largest exponent, moved right in steps of eight, then of one.
  logic [7:0] field;
  logic [23:0] significand_q0;
  logic [4:0] right_q0;
  logic [2:0] right_q1;
  logic none_q0, none_q1;
  logic [WB+FB-1:0] coarse_q1, fixed_q2;
  assign field = z_i[30:23];

  // From 3 on: the table's entry and its distance to 1; u, the slope of the remainder, upper half last.
  logic [TB-1:0] entry_q3;
  logic [BB-1:0] below_q[4:10];
  logic [DB+SB-1:0] slope_q3, slope_q4;
  logic [HS-1:0] slope_high_q3, slope_high_q4;
  logic [KB-1:0] slope_q5;
  logic [HS-MB-1:0] slope_high_q5;
  logic carry_q5;
  logic [UB-1:0] u_q6, u_q7;
  // From 7 on: its square; the curve.
  logic [UB+DB-1:0] square_low_q7, square_low_q8;
  logic [2*UB-DB-1:0] square_high_q7, square_high_q8;
  logic [QB-1:0] square_q9;
  logic [CB:0] line_q8, line_q9;
  logic [CB-QB:0] line_next_q9;  // the line's upper bits plus one
  logic [QB:0] curve_low;
  logic [CB:0] curve_q[10:13];
  // From 11 on: the product of distance and curve, subtracted from the curve; lower half first.
  logic [BB+DB-1:0] off_low_q11, off_low_q12;
  logic [BB+HB-1:0] off_high_q11, off_high_q12;
  logic [LowBits-1:0] off_low_q13;
  logic [OB-1:0] off_high_q13, off_high_q14;
  logic carry_q13;
  logic [PB-LowBits-1:0] curve_high_q14;
  logic [LowBits-1:0] low_q14;
  logic borrow_q14;
  logic [PB-1:0] product_q15;
  // From 16 on, rounding: the leading one is at PointBit, one below or, after a cut, two below.
  logic [1:0] lead, lead_q16;
  logic [23:0] significand_q16;  // 23 bits after the leading one, guard
  logic [22:0] fraction_q17;
  logic sticky_q16, up_q17;
  logic [7:0] base_q3, base_q16, base_q17;
  logic [8*12-1:0] base_delay_q;  // stages 4 to 15
  logic [Stages-2:0] zero_q;
  assign curve_low = {1'b0, line_q9[QB-1:0]} + {1'b0, square_q9};
  assign lead = product_q15[PointBit] ? 2'd0 : product_q15[PointBit-1] ? 2'd1 : 2'd2;

  logic [Stages-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], z_valid_i};
  end
`ifdef NEARDATA_OBSERVE
  assign power_valid_o = valid_q[Stages-1];
`endif

  // No register changes unless a number is in flight.
  logic flows;
  assign flows = z_valid_i || valid_q != '0;
  always_ff @(posedge clk_i) begin
    if (flows) begin
      significand_q0 <= {1'b1, z_i[22:0]};
      right_q0 <= 5'(CutoffField - 8'd1 - field);
      none_q0 <= field < CutoffField - 8'(WB + FB);
      coarse_q1 <= {significand_q0, {(WB + FB - 24){1'b0}}} >> {right_q0[4:3], 3'b000};
      right_q1 <= right_q0[2:0];
      none_q1 <= none_q0;
      fixed_q2 <= none_q1 ? '0 : coarse_q1 >> right_q1;

      entry_q3 <= entry(fixed_q2[FB-1:RB]);
      below_q[4] <= BB'({1'b1, {(TB - 1){1'b0}}} - entry_q3);
      for (int unsigned s = 5; s <= 10; s++) below_q[s] <= below_q[s-1];
      slope_q3 <= ($bits(slope_q3))'(fixed_q2[DB-1:0]) * ($bits(slope_q3))'(sparf_attn_exp2_pkg::Slope);
      slope_high_q3 <= HS'(fixed_q2[RB-1:DB]) * HS'(sparf_attn_exp2_pkg::Slope);
      slope_q4 <= slope_q3;
      slope_high_q4 <= slope_high_q3;
      {carry_q5, slope_q5} <= (KB + 1)'(({1'b0, slope_high_q4[MB-1:0]} +
          {1'b0, slope_q4[DB+:MB]}) >> (MB - KB));
      slope_high_q5 <= slope_high_q4[HS-1:MB] + ($bits(slope_high_q5))'(slope_q4 >> (DB + MB));
      u_q6 <= {slope_high_q5 + ($bits(slope_high_q5))'(carry_q5), slope_q5};

      square_low_q7 <= ($bits(square_low_q7))'(u_q6) * ($bits(square_low_q7))'(u_q6[DB-1:0]);
      square_high_q7 <= (2*UB - DB)'(u_q6) * (2*UB - DB)'(u_q6[UB-1:DB]);
      u_q7 <= u_q6;
      square_low_q8 <= square_low_q7;
      square_high_q8 <= square_high_q7;
      line_q8 <= {1'b1, {CB{1'b0}}} - ($bits(line_q8))'(u_q7);
      square_q9 <= QB'((square_high_q8 + (2*UB - DB)'(square_low_q8 >> DB)) >> (CB + 1 - DB));
      line_q9 <= line_q8;
      line_next_q9 <= line_q8[CB:QB] + 1'b1;
      curve_q[10] <= {curve_low[QB] ? line_next_q9 : line_q9[CB:QB], curve_low[QB-1:0]};
      for (int unsigned s = 11; s <= 13; s++) curve_q[s] <= curve_q[s-1];

      off_low_q11 <= ($bits(off_low_q11))'(below_q[10]) * ($bits(off_low_q11))'(curve_q[10][DB-1:0]);
      off_high_q11 <= ($bits(off_high_q11))'(below_q[10]) * ($bits(off_high_q11))'(curve_q[10][CB:DB]);
      off_low_q12 <= off_low_q11;
      off_high_q12 <= off_high_q11;
      {carry_q13, off_low_q13} <= {{1'b0, off_high_q12[LowBits-DB-1:0]} +
          {1'b0, off_low_q12[LowBits-1:DB]}, off_low_q12[DB-1:0]};
      off_high_q13 <= off_high_q12[BB+HB-1:LowBits-DB] + OB'(off_low_q12 >> LowBits);
      {borrow_q14, low_q14} <= (LowBits + 1)'(0) - {1'b0, off_low_q13};
      off_high_q14 <= off_high_q13 + OB'(carry_q13);
      curve_high_q14 <= curve_q[13];
      product_q15 <= {(PB - LowBits)'(({curve_high_q14, 1'b1}
                          + {{(PB - LowBits - OB){1'b1}}, ~off_high_q14, !borrow_q14}) >> 1),
                      low_q14};

      lead_q16 <= lead;
      unique case (lead)
        2'd0: significand_q16 <= product_q15[PointBit-1 -: 24];
        2'd1: significand_q16 <= product_q15[PointBit-2 -: 24];
        default: significand_q16 <= product_q15[PointBit-3 -: 24];
      endcase
      sticky_q16 <= product_q15[PointBit-27:0] != '0 || (!lead[1] && product_q15[PointBit-26]) ||
          (lead == 2'd0 && product_q15[PointBit-25]);
      fraction_q17 <= significand_q16[23:1];
      up_q17 <= significand_q16[0] && (sticky_q16 || significand_q16[1]);
      base_q3 <= Bias - 8'(fixed_q2[FB +: WB]);
      base_delay_q <= {base_delay_q[8*11-1:0], base_q3};
      base_q16 <= base_delay_q[8*12-1 -: 8];
      base_q17 <= base_q16 - 8'(lead_q16);
      zero_q <= {zero_q[Stages-3:0], field >= CutoffField};
      if (zero_q[Stages-2]) power_q <= '0;
      else power_q <= {1'b0, {base_q17, fraction_q17} + 31'(up_q17)};
    end
    // With a reset these stay registers where delays become memories, which are slower.
    if (!rst_ni) begin
      curve_high_q14 <= '0;
      base_q16 <= '0;
      zero_q[0] <= 1'b0;
      zero_q[Stages-2] <= 1'b0;
    end
  end

  if (Stages != 19) begin : gen_bad_stages
    $error("sparf_attn_exp2: Stages must be that of its stages");
  end

  `IMPLIES(Finite_A, z_valid_i, z_i[30:23] != 8'hff && (!z_i[31] || z_i[30:0] == '0))
endmodule
