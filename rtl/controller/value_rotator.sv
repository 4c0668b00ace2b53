// SPDX-License-Identifier: Apache-2.0
// Rotates a line of values: value p of the input is value p + by_i, modulo Values, of the output.
// Combinational, with one stage for each bit of by_i.
module value_rotator #(
  parameter int unsigned Values = 32,
  parameter int unsigned ValueBits = 16,
  localparam int unsigned PlaceBits = $clog2(Values)
) (
  input  logic [Values*ValueBits-1:0] line_i,
  input  logic [PlaceBits-1:0]        by_i,
  output logic [Values*ValueBits-1:0] line_o
);
  localparam int unsigned LineBits = Values * ValueBits;

  logic [LineBits-1:0] rotated;
  always_comb begin
    rotated = line_i;
    for (int unsigned s = 0; s < PlaceBits; s++) begin
      if (by_i[s]) begin
        rotated = (rotated << (ValueBits << s)) | (rotated >> (LineBits - (ValueBits << s)));
      end
    end
  end
  assign line_o = rotated;

  if (Values < 2 || (Values & (Values - 1)) != 0) begin : gen_bad_values
    $error("value_rotator: Values must be a power of two, 2 at least");
  end
endmodule
