// SPDX-License-Identifier: Apache-2.0
// 2^-z of a binary32 z >= 0, every cycle one, attn_exp2_pkg::Stages cycles later. z is cut to 26
// fraction bits; a table gives 2^-h/128, and a parabola 1 - u + u^2 / 2 what lies between two
// entries; their product is rounded once, to nearest even. From z = 64 on the result is 0.
// Relative error below 2^-22. Infinities and NaN are not allowed.
`include "assert.svh"
module attn_exp2 (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        z_valid_i,
  input  logic [31:0] z_i,
  output logic        power_valid_o,
  output logic [31:0] power_o
);
  localparam int unsigned FB = attn_exp2_pkg::FractionBits;
  localparam int unsigned RB = attn_exp2_pkg::RestBits;
  localparam int unsigned TB = attn_exp2_pkg::TableBits;
  localparam int unsigned CB = attn_exp2_pkg::CurveBits;
  localparam int unsigned WB = attn_exp2_pkg::WholeBits;
  localparam int unsigned SB = attn_exp2_pkg::SlopeBits;
  localparam int unsigned Stages = attn_exp2_pkg::Stages;
  // u is below 2^-7, in units of 2^-CurveBits.
  localparam int unsigned UB = CB - attn_exp2_pkg::StepBits;
  // The product has FB + CB - 1 fraction bits and is above 2^-1 (less a rounding error).
  localparam int unsigned PB = TB + CB;
  localparam int unsigned PointBit = TB - 1 + CB;
  localparam logic [7:0] Bias = 8'd127;

  logic [Stages-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], z_valid_i};
  end
  assign power_valid_o = valid_q[Stages-1];

  // Fixed point: the exponent field at which no shift is needed.
  localparam logic [7:0] UnitField = Bias + 8'd23 - 8'(FB);
  localparam logic [7:0] CutoffField = Bias + 8'(WB);
  logic [WB+FB-1:0] fixed;
  logic [7:0] field, right;
  logic [3:0] left;
  logic [23:0] lowered;
  assign field = z_i[30:23];
  assign left = 4'(field - UnitField);
  assign right = UnitField - field;
  assign lowered = {1'b1, z_i[22:0]} >> right[4:0];
  always_comb begin
    if (field == '0) fixed = '0;
    else if (field >= UnitField) fixed = (WB + FB)'({1'b1, z_i[22:0]}) << left;
    else if (right >= 8'd24) fixed = '0;
    else fixed = (WB + FB)'(lowered);
  end

  logic zero_q[Stages-1];
  logic [WB-1:0] whole_q[Stages-1];
  logic [FB-1:0] fraction_q;
  logic [TB-1:0] table_q1, table_q2, table_q3;
  logic [UB-1:0] u_q1, u_q2;
  logic [UB-1:0] square_q;
  logic [CB:0] curve_q;
  logic [PB-1:0] product_q;

  // Rounding: the leading one is at PointBit, one below or, after a cut, two below.
  logic [1:0] lead;
  logic [23:0] significand;  // 23 bits after the leading one, guard
  logic sticky, up;
  logic [30:0] rounded;
  logic [7:0] base;
  assign lead = product_q[PointBit] ? 2'd0 : product_q[PointBit-1] ? 2'd1 : 2'd2;
  always_comb begin
    unique case (lead)
      2'd0: begin
        significand = product_q[PointBit-1 -: 24];
        sticky = product_q[PointBit-25:0] != '0;
      end
      2'd1: begin
        significand = product_q[PointBit-2 -: 24];
        sticky = product_q[PointBit-26:0] != '0;
      end
      default: begin
        significand = product_q[PointBit-3 -: 24];
        sticky = product_q[PointBit-27:0] != '0;
      end
    endcase
  end
  assign up = significand[0] && (sticky || significand[1]);
  assign base = Bias - 8'(lead) - 8'(whole_q[Stages-2]);
  assign rounded = {base, significand[23:1]} + 31'(up);

  always_ff @(posedge clk_i) begin
    zero_q[0] <= field >= CutoffField;
    whole_q[0] <= fixed[FB +: WB];
    fraction_q <= fixed[FB-1:0];
    for (int unsigned s = 1; s < Stages - 1; s++) begin
      zero_q[s] <= zero_q[s-1];
      whole_q[s] <= whole_q[s-1];
    end

    table_q1 <= attn_exp2_pkg::Table[32'(fraction_q[FB-1:RB]) * TB +: TB];
    u_q1 <= UB'(((RB + SB)'(fraction_q[RB-1:0]) * (RB + SB)'(attn_exp2_pkg::Slope)) >>
                (FB + SB - CB));

    table_q2 <= table_q1;
    u_q2 <= u_q1;
    square_q <= UB'(((2*UB)'(u_q1) * (2*UB)'(u_q1)) >> (CB + 1));

    table_q3 <= table_q2;
    curve_q <= {1'b1, {CB{1'b0}}} - (CB + 1)'(u_q2) + (CB + 1)'(square_q);

    product_q <= PB'(table_q3) * PB'(curve_q);

    power_o <= zero_q[Stages-2] ? '0 : {1'b0, rounded};
  end

  `ASSERT(Finite_A, z_valid_i |-> z_i[30:23] != 8'hff && (!z_i[31] || z_i[30:0] == '0))
endmodule
