// SPDX-License-Identifier: Apache-2.0
// Scores of the tokens at one position of their rows: for each row of a block the sum over the queries, in
// their order, of weight times inverse total, every operation rounded to FP32. A row returns with the next
// query when the block is finished, after more cycles than the loop needs (AddStages + 1). With the last query
// the sum leaves.
module sparf_rank_sums #(
  localparam int unsigned PlaceBits = sparf_kernel_pkg::LogBlockRows
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  input  logic [31:0]          weight_i,
  input  logic [31:0]          inverse_i,
  input  logic                 first_i,   // query
  input  logic                 last_i,    // query
  input  logic [PlaceBits-1:0] place_i,   // of the row in the block
  output logic                 sum_valid_o,
  output logic [31:0]          sum_o
);
  localparam int unsigned MultiplyStages = sparf_kernel_pkg::MultiplyStages;
  localparam int unsigned AddStages = sparf_kernel_pkg::AddStages;
  localparam int unsigned Stages = MultiplyStages + AddStages;

  logic sum_valid_q;
  logic [31:0] sum_out_q;
  assign sum_valid_o = sum_valid_q;
  assign sum_o = sum_out_q;

  // Inputs arrive from a table and are registered first.
  logic in_valid_q, in_first_q, in_last_q;
  logic [31:0] in_weight_q, in_inverse_q;
  logic [PlaceBits-1:0] in_place_q;
  logic [Stages-1:0] valid_q;
  logic [(Stages-1)*PlaceBits-1:0] place_q;
  logic [PlaceBits-1:0] read_place_q, sum_place_q;
  logic [MultiplyStages-2:0] first_q;
  logic [Stages-2:0] last_q;
  logic sum_last_q;
  logic [31:0] share, sum, sum_before_q;
  logic [31:0] sum_q[1 << PlaceBits];

  sparf_attn_multiply u_share (
    .clk_i(clk_i),
    .en_i({valid_q[MultiplyStages-2:0], in_valid_q}),
    .a_i(in_weight_q),
    .b_i(in_inverse_q),
    .product_o(share)
  );
  sparf_attn_add u_sum (
    .clk_i(clk_i),
    .en_i(valid_q[Stages-2 -: AddStages]),
    .a_i(sum_before_q),
    .b_i(share),
    .sum_o(sum)
  );

  always_ff @(posedge clk_i) begin
    in_valid_q <= rst_ni && valid_i;
    {in_weight_q, in_inverse_q} <= {weight_i, inverse_i};
    {in_first_q, in_last_q, in_place_q} <= {first_i, last_i, place_i};
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], in_valid_q};
    sum_valid_q <= rst_ni && valid_q[Stages-1] && sum_last_q;
    if (in_valid_q || valid_q != '0) begin
      first_q <= {first_q[MultiplyStages-3:0], in_first_q};
      last_q <= {last_q[Stages-3:0], in_last_q};
      place_q <= {place_q[(Stages-2)*PlaceBits-1:0], in_place_q};
    end
    // Separate flip-flops: the output of a long shift register is late in its cycle.
    sum_last_q <= last_q[Stages-2];
    sum_place_q <= place_q[(Stages-2)*PlaceBits +: PlaceBits];
    read_place_q <= place_q[(MultiplyStages-3)*PlaceBits +: PlaceBits];
    sum_before_q <= first_q[MultiplyStages-2] ? '0 : sum_q[read_place_q];
    if (valid_q[Stages-1]) sum_q[sum_place_q] <= sum;
    sum_out_q <= sum;
  end

  if (AddStages + 1 > 1 << PlaceBits) begin : gen_bad_block
    $error("sparf_rank_sums: a block must have more rows than an addition has stages");
  end
endmodule
