// SPDX-License-Identifier: Apache-2.0
// The sums of |q| over a group, by dimension, with KeysPerRow sums per row: the keys for the choice of
// dimensions. Magnitudes arrive one dimension at a time, one query after the other. A sum is computed in two
// halves, the upper half one cycle later, and stored in the next cycle, so the sums are complete three cycles
// after the last magnitude. A row appears sparf_topk_pkg::FetchStages after its read.
module sparf_query_keys #(
  parameter int unsigned Width = 128,
  parameter int unsigned KeysPerRow = 2,
  parameter int unsigned FixedBits = 40,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned KeyBits = 44,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned LaneBits = $clog2(KeysPerRow),
  localparam int unsigned RowBits = IndexBits - LaneBits
) (
  input  logic                          clk_i,
  input  logic [IndexBits-1:0]          next_i,   // index_i of the cycle after
  input  logic                          first_i,  // it belongs to the first query
  input  logic                          valid_i,
  input  logic [IndexBits-1:0]          index_i,
  input  logic [FixedBits-1:0]          fixed_i,
  input  logic                          select_i, // rows are read; no magnitudes arrive
  input  logic [RowBits-1:0]            row_i,
  output logic [KeysPerRow*KeyBits-1:0] keys_o
);
  localparam int unsigned SumBits = FixedBits + $clog2(MaxGroup);
  localparam int unsigned LowBits = SumBits / 2;
  localparam int unsigned HighBits = SumBits - LowBits;

  logic first_q, high_valid_q, carry_q;
  logic kept_valid_q;
  logic [IndexBits-1:0] high_index_q, kept_index_q;
  logic [LowBits-1:0] low_sum_q;
  logic [HighBits-1:0] high_sum_q;
  logic [HighBits-1:0] high_fixed_q, before_high_q, high;
  logic [LowBits-1:0] before_low_q;
  logic [LowBits:0] low;
  logic [RowBits-1:0] fetch_q, row_q, low_row, high_row;
  logic [KeysPerRow*LowBits-1:0] lows;
  logic [KeysPerRow*HighBits-1:0] highs;

  assign low_row = select_i ? row_q : next_i[IndexBits-1:LaneBits];
  assign high_row = select_i ? row_q : index_i[IndexBits-1:LaneBits];
  assign low = {1'b0, fixed_i[LowBits-1:0]} + {1'b0, before_low_q};
  assign high = HighBits'(({high_fixed_q, 1'b1} + {before_high_q, carry_q}) >> 1);

  for (genvar l = 0; l < KeysPerRow; l++) begin : gen_lane
    // Close to the sum: a block RAM's data arrive too late in their cycle.
    (* ram_style = "distributed" *) logic [LowBits-1:0] low_sums_q[1 << RowBits];
    (* ram_style = "distributed" *) logic [HighBits-1:0] high_sums_q[1 << RowBits];
    assign lows[l*LowBits +: LowBits] = low_sums_q[low_row];
    assign highs[l*HighBits +: HighBits] = high_sums_q[high_row];
    assign keys_o[l*KeyBits +: KeyBits] =
        KeyBits'({highs[l*HighBits +: HighBits], lows[l*LowBits +: LowBits]});
    always_ff @(posedge clk_i) begin
      if (high_valid_q && high_index_q[LaneBits-1:0] == LaneBits'(l)) begin
        low_sums_q[high_index_q[IndexBits-1:LaneBits]] <= low_sum_q;
      end
      if (kept_valid_q && kept_index_q[LaneBits-1:0] == LaneBits'(l)) begin
        high_sums_q[kept_index_q[IndexBits-1:LaneBits]] <= high_sum_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    fetch_q <= row_i;
    row_q <= fetch_q;
    first_q <= first_i;
    before_low_q <= first_i ? '0 : lows[next_i[LaneBits-1:0]*LowBits +: LowBits];
    before_high_q <= first_q ? '0 : highs[index_i[LaneBits-1:0]*HighBits +: HighBits];
    carry_q <= low[LowBits];
    high_valid_q <= valid_i;
    high_index_q <= index_i;
    high_fixed_q <= HighBits'(fixed_i >> LowBits);
    low_sum_q <= low[LowBits-1:0];
    high_sum_q <= high;
    kept_valid_q <= high_valid_q;
    kept_index_q <= high_index_q;
  end

  if (SumBits > KeyBits) begin : gen_bad_key
    $error("sparf_query_keys: KeyBits must hold the sum of MaxGroup magnitudes");
  end
endmodule
