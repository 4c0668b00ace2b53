// SPDX-License-Identifier: Apache-2.0
// Quotients of the sums of weights of each query, rounded to FP32: with inverse_i 1 / total; otherwise chosen /
// total (second_o low) and then (total - chosen) / total. Runs while run_i is high; query_o selects a query's
// sums.
module sparf_rank_quotients #(
  parameter int unsigned TotalBits = 52,
  parameter int unsigned GroupBits = 3
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 run_i,
  input  logic                 inverse_i,
  input  logic [GroupBits-1:0] group_i,   // queries, less one
  output logic [GroupBits-1:0] query_o,
  input  logic [TotalBits-1:0] total_i,   // units of 2^-36
  input  logic [TotalBits-1:0] chosen_i,
  output logic                 write_o,
  output logic                 second_o,
  output logic [31:0]          quotient_o,
  output logic                 done_o,    // a strobe with the last
  output logic                 busy_o     // for clock gates
);
  localparam logic [31:0] One = 32'h3f800000;
  localparam int unsigned NormaliseStages = sparf_kernel_pkg::NormaliseStages;
  localparam logic [5:0] Exponent = 6'd36;  // sum 2^-36 as sparf_attn_normalise reads it

  logic [GroupBits-1:0] query_q;
  assign query_o = query_q;

  // Three sums enter the converter, then the quotients follow each other.
  localparam logic [2:0] EnterFirst = 3'd3, EnterEnd = 3'd6;  // sums wait for their difference
  logic [2:0] enter_q;
  logic [NormaliseStages-1:0] convert_q;
  logic [1:0] leave_q;
  logic dividing_q, second_q, start_q, run_q;
  logic [31:0] converted, total_q, chosen_q, others_q;
  localparam int unsigned LowBits = TotalBits / 2;
  logic [TotalBits-1:0] total_sum_q, chosen_sum_q, others_sum_q;
  logic borrow_q;
  logic [TotalBits:0] sum;
  logic entering, converted_valid, quotient_valid, query_end;
  logic query_last_q;  // valid long before the query's quotients
  assign converted_valid = convert_q[NormaliseStages-1];
  assign entering = enter_q >= EnterFirst && enter_q != EnterEnd;
  always_comb begin
    unique case (enter_q)
      EnterFirst: sum = {1'b0, total_sum_q};
      EnterFirst + 3'd1: sum = {1'b0, chosen_sum_q};
      default: sum = {1'b0, others_sum_q};
    endcase
  end
  always_ff @(posedge clk_i) begin
    total_sum_q <= total_i;
    chosen_sum_q <= chosen_i;
    {borrow_q, others_sum_q[LowBits-1:0]} <=
        {1'b0, total_sum_q[LowBits-1:0]} - {1'b0, chosen_sum_q[LowBits-1:0]};
    others_sum_q[TotalBits-1:LowBits] <= (TotalBits - LowBits)'((
        {total_sum_q[TotalBits-1:LowBits], 1'b1} +
        {~chosen_sum_q[TotalBits-1:LowBits], !borrow_q}) >> 1);
  end
  sparf_attn_normalise #(
    .SumBits(TotalBits + 1)
  ) u_convert (
    .clk_i(clk_i),
    .en_i({convert_q[NormaliseStages-2:0], entering}),
    .sum_i(sum),
    .exponent_i(Exponent),
    .value_o(converted)
  );

  sparf_attn_scalar u_divide (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_q),
    .root_i(1'b0),
    .a_i(inverse_i ? One : second_q ? others_q : chosen_q),
    .b_i(total_q),
    .done_o(quotient_valid),
    .result_o(quotient_o),
    .busy_o(busy_o)
  );
  assign write_o = quotient_valid && dividing_q;
  assign second_o = second_q;
  assign query_end = write_o && (inverse_i || second_q);
  assign done_o = query_end && query_last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !run_i || done_o) begin
      run_q <= 1'b0;
      enter_q <= EnterEnd;
      convert_q <= '0;
      leave_q <= '0;
      dividing_q <= 1'b0;
      second_q <= 1'b0;
      start_q <= 1'b0;
      query_q <= '0;
    end else begin
      run_q <= 1'b1;
      if (!run_q || query_end) enter_q <= '0;
      else if (enter_q != EnterEnd) enter_q <= enter_q + 1'b1;
      convert_q <= {convert_q[NormaliseStages-2:0], entering};
      if (converted_valid) leave_q <= leave_q == 2'd2 ? '0 : leave_q + 1'b1;
      start_q <= (converted_valid && leave_q == 2'd2) || (write_o && !query_end);
      if (converted_valid && leave_q == 2'd2) dividing_q <= 1'b1;
      else if (query_end) dividing_q <= 1'b0;
      if (query_end) second_q <= 1'b0;
      else if (write_o) second_q <= 1'b1;
      if (query_end) query_q <= query_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    query_last_q <= query_q == group_i;
    if (converted_valid && leave_q == 2'd0) total_q <= converted;
    if (converted_valid && leave_q == 2'd1) chosen_q <= converted;
    if (converted_valid && leave_q == 2'd2) others_q <= converted;
  end
endmodule
