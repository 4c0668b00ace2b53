// SPDX-License-Identifier: Apache-2.0
// The sums of |q| over each query of a group, of all dimensions or of the chosen ones. Magnitudes arrive one
// query after the other; end_i marks the last one of a query. A sum is computed in two halves, the upper half
// one cycle later, and is valid three cycles after its last magnitude.
module sparf_query_sums #(
  parameter int unsigned FixedBits = 40,
  parameter int unsigned SumBits = 47,
  parameter int unsigned MaxGroup = 8,
  localparam int unsigned GroupBits = $clog2(MaxGroup)
) (
  input  logic                 clk_i,
  input  logic                 clear_i,      // no magnitude of the next query has arrived
  input  logic                 valid_i,
  input  logic                 chosen_i,     // of the chosen dimensions
  input  logic [GroupBits-1:0] query_i,
  input  logic                 end_i,
  input  logic [FixedBits-1:0] fixed_i,
  input  logic [GroupBits-1:0] sum_query_i,
  output logic [SumBits-1:0]   all_o,
  output logic [SumBits-1:0]   chosen_o
);
  localparam int unsigned LowBits = SumBits / 2;
  localparam int unsigned HighBits = SumBits - LowBits;
  logic [LowBits-1:0] low_q, all_low_q[MaxGroup], chosen_low_q[MaxGroup];
  logic [HighBits-1:0] high_q, upper_q, high, all_high_q[MaxGroup], chosen_high_q[MaxGroup];
  logic [LowBits:0] low;
  logic carry_q, valid_q, chosen_q, end_q;
  logic [GroupBits-1:0] query_q;
  // Complete sums, each half in its own cycle: head, query.
  logic [1:0] all_done_q, chosen_done_q;
  logic [GroupBits-1:0] low_query_q, high_query_q;
  logic [LowBits-1:0] low_done_q;
  logic [HighBits-1:0] high_done_q;
  assign low = {1'b0, low_q} + {1'b0, fixed_i[LowBits-1:0]};
  assign high = HighBits'(({high_q, 1'b1} + {upper_q, carry_q}) >> 1);
  assign all_o = {all_high_q[sum_query_i], all_low_q[sum_query_i]};
  assign chosen_o = {chosen_high_q[sum_query_i], chosen_low_q[sum_query_i]};

  always_ff @(posedge clk_i) begin
    carry_q <= low[LowBits];
    upper_q <= HighBits'(fixed_i >> LowBits);
    valid_q <= valid_i;
    chosen_q <= chosen_i;
    end_q <= end_i;
    query_q <= query_i;
    if (clear_i) low_q <= '0;
    else if (valid_i) low_q <= end_i ? '0 : low[LowBits-1:0];
    if (clear_i) high_q <= '0;
    else if (valid_q) high_q <= end_q ? '0 : high;
    low_done_q <= low[LowBits-1:0];
    high_done_q <= high;
    {low_query_q, high_query_q} <= {query_i, query_q};
    all_done_q <= {valid_i && end_i && !chosen_i, valid_q && end_q && !chosen_q};
    chosen_done_q <= {valid_i && end_i && chosen_i, valid_q && end_q && chosen_q};
    if (all_done_q[1]) all_low_q[low_query_q] <= low_done_q;
    if (chosen_done_q[1]) chosen_low_q[low_query_q] <= low_done_q;
    if (all_done_q[0]) all_high_q[high_query_q] <= high_done_q;
    if (chosen_done_q[0]) chosen_high_q[high_query_q] <= high_done_q;
  end
endmodule
