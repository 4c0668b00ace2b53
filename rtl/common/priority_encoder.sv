// SPDX-License-Identifier: Apache-2.0
// The index of the lowest asserted input, or 0 if no input is asserted, in the same cycle.
module priority_encoder #(
  parameter int unsigned Inputs = 8,
  localparam int unsigned NumberBits = $clog2(Inputs)
) (
  input  logic [Inputs-1:0]     asserted_i,
  output logic [NumberBits-1:0] number_o
);
  always_comb begin
    number_o = '0;
    for (int unsigned i = Inputs - 1; i > 0; i--) begin
      if (asserted_i[i]) number_o = NumberBits'(i);
    end
    if (asserted_i[0]) number_o = '0;
  end

  if (Inputs < 2) begin : gen_bad_inputs
    $error("priority_encoder: Inputs must be at least 2");
  end
endmodule
