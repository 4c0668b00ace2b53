// SPDX-License-Identifier: Apache-2.0
// Sums of weights in fixed point, one for each query of a group. A sum is computed in two halves, the upper
// half one cycle later, so totals are complete two cycles after the last weight. total_query_i selects
// total_o.
module sparf_weight_totals #(
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned TotalBits = 52,
  parameter int unsigned FixedBits = sparf_attn_pkg::WeightFractionBits + 1,  // of the addend
  localparam int unsigned GroupBits = $clog2(MaxGroup)
) (
  input  logic                 clk_i,
  input  logic                 clear_i,   // no weight arrives in this cycle or arrived in the previous one
  input  logic                 valid_i,
  input  logic [GroupBits-1:0] query_i,
  input  logic [FixedBits-1:0] fixed_i,
  input  logic [GroupBits-1:0] total_query_i,
  output logic [TotalBits-1:0] total_o
);
  localparam int unsigned LowBits = TotalBits / 2;
  localparam int unsigned HighBits = TotalBits - LowBits;
  // The halves of a query are in separate words; the lower one includes the carry of its last sum.
  localparam int unsigned WordBits = 32;
  logic [HighBits-1:0] upper_q;
  logic [MaxGroup*WordBits-1:0] low_q, high_q;
  logic [MaxGroup-1:0] added_q;
  assign total_o = {high_q[32'(total_query_i)*WordBits +: HighBits],
                    low_q[32'(total_query_i)*WordBits +: LowBits]};

  always_ff @(posedge clk_i) begin
    if (valid_i) upper_q <= HighBits'(fixed_i >> LowBits);
    added_q <= valid_i && !clear_i ? MaxGroup'(1) << query_i : '0;
    if (clear_i) begin
      low_q <= '0;
      high_q <= '0;
    end else begin
      if (valid_i) begin
        for (int unsigned g = 0; g < MaxGroup; g++) begin
          if (query_i == GroupBits'(g)) begin
            low_q[g*WordBits +: WordBits] <=
                WordBits'(low_q[g*WordBits +: LowBits]) + WordBits'(fixed_i[LowBits-1:0]);
          end
        end
      end
      if (added_q != '0) begin
        for (int unsigned g = 0; g < MaxGroup; g++) begin
          if (added_q[g]) begin
            high_q[g*WordBits +: WordBits] <= WordBits'(HighBits'(
                ({high_q[g*WordBits +: HighBits], 1'b1}
                 + {upper_q, low_q[g*WordBits+LowBits]}) >> 1));
          end
        end
      end
    end
  end

  if (LowBits >= WordBits || HighBits > WordBits) begin : gen_bad_bits
    $error("sparf_weight_totals: half of a total, with a carry, must fit a word");
  end
endmodule
