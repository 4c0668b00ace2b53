// SPDX-License-Identifier: Apache-2.0
// IEEE 754 rounding to nearest even, as a definition, of the number (-1)^negative_i * mag_i * 2^exponent_i: the
// retained bits, and the comparison of the remainder with half a unit; ties to even, subnormals, overflow to infinity.
// A zero has the sign negative_i. It is independent of rtl/: it uses no line of rtl/ and does not normalise step by
// step.
module ieee_round #(
  parameter int unsigned MagBits = 52,
  parameter int unsigned ExpBits = 12,  // signed, wide enough for the exponent of every bit
  parameter int unsigned FieldBits = 8,
  parameter int unsigned FractionBits = 23
) (
  input  logic                             negative_i,
  input  logic [MagBits-1:0]               mag_i,
  input  logic signed [ExpBits-1:0]        exponent_i,
  output logic [FieldBits+FractionBits:0]  result_o,
  output logic                             normal_o  // the exact number is, or is larger
);
  localparam int unsigned WideBits = MagBits + FractionBits + 3;
  localparam int unsigned PlaceBits = $clog2(WideBits);
  localparam int unsigned CodeBits = ExpBits + FractionBits + 1;
  // Exponent of the unit in the last place of a subnormal number, and of the least normal number.
  localparam logic signed [ExpBits-1:0] LeastUnit =
      ExpBits'(2) - ExpBits'(1 << (FieldBits - 1)) - ExpBits'(FractionBits);
  localparam logic [FieldBits+FractionBits-1:0] Infinity =
      {{FieldBits{1'b1}}, {FractionBits{1'b0}}};

  logic signed [ExpBits-1:0] top, unit_place, drop;
  logic [PlaceBits-1:0] places;
  logic [WideBits-1:0] wide, kept, rest, half;
  logic up;
  logic [CodeBits-1:0] code;

  always @* begin
    top = '0;
    for (int unsigned i = 0; i < MagBits; i++) if (mag_i[i]) top = ExpBits'(i);
    unit_place = exponent_i + top - ExpBits'(FractionBits);
    normal_o = mag_i != '0 && unit_place >= LeastUnit;
    if (unit_place < LeastUnit) unit_place = LeastUnit;
    // The magnitude is extended by FractionBits + 1 fraction bits, so that every shift is to the right.
    wide = {2'b00, mag_i, {(FractionBits + 1) {1'b0}}};
    drop = unit_place - exponent_i + ExpBits'(FractionBits + 1);
    places = drop > ExpBits'(WideBits - 1) ? PlaceBits'(WideBits - 1) : drop[PlaceBits-1:0];
    kept = wide >> places;
    rest = wide & ~({WideBits{1'b1}} << places);
    half = (WideBits'(1) << places) >> 1;
    up = rest > half || (rest == half && kept[0]);
    // The leading one of a normal number adds one to the exponent field, and so does a carry.
    code = (CodeBits'(unit_place - LeastUnit) << FractionBits) + CodeBits'(kept[FractionBits:0]) +
        CodeBits'(up);
    if (mag_i == '0) code = '0;
    result_o = {negative_i, code >= CodeBits'(Infinity) ? Infinity
                                                        : code[FieldBits+FractionBits-1:0]};
  end
endmodule
