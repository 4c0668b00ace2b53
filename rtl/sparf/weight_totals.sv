// SPDX-License-Identifier: Apache-2.0
// Sums of weights in fixed point, one for each query of a group. A sum is made in two halves, the
// upper one a cycle behind; so totals are whole two cycles after the last weight came. total_o is
// that of total_query_i.
module weight_totals #(
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned TotalBits = 52,
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned FixedBits = attn_pkg::WeightFractionBits + 1
) (
  input  logic                 clk_i,
  input  logic                 clear_i,   // no weight comes with it, or came in the cycle before
  input  logic                 valid_i,
  input  logic [GroupBits-1:0] query_i,
  input  logic [FixedBits-1:0] fixed_i,
  input  logic [GroupBits-1:0] total_query_i,
  output logic [TotalBits-1:0] total_o
);
  localparam int unsigned LowBits = TotalBits / 2;
  localparam int unsigned HighBits = TotalBits - LowBits;
  logic [HighBits-1:0] upper_q;
  logic [TotalBits-1:0] totals[MaxGroup];
  assign total_o = totals[total_query_i];
  always_ff @(posedge clk_i) upper_q <= HighBits'(fixed_i >> LowBits);

  for (genvar g = 0; g < MaxGroup; g++) begin : gen_query
    logic [LowBits-1:0] low_q;
    logic [HighBits-1:0] high_q;
    logic added_q, carry_q;
    assign totals[g] = {high_q, low_q};
    always_ff @(posedge clk_i) begin
      added_q <= valid_i && query_i == GroupBits'(g) && !clear_i;
      if (clear_i) begin
        low_q <= '0;
        high_q <= '0;
      end else begin
        if (valid_i && query_i == GroupBits'(g)) begin
          {carry_q, low_q} <= {1'b0, low_q} + {1'b0, fixed_i[LowBits-1:0]};
        end
        if (added_q) high_q <= HighBits'(({high_q, 1'b1} + {upper_q, carry_q}) >> 1);
      end
    end
  end
endmodule
