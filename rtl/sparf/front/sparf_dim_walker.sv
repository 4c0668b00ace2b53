// SPDX-License-Identifier: Apache-2.0
// Step 1 on flash: for each block of tokens below dim_flash the embedding-order pages of the groups of m
// dimensions that have a chosen one, in ascending order. The pages of a block are one job. A block needs two
// cycles and one for each group up to the last one with a chosen dimension. An item needs two cycles more and
// the wait until it is accepted.
`include "assert.svh"
module sparf_dim_walker #(
  parameter int unsigned Width = 128
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,    // the other inputs are stable while busy_o
  input  sparf_pkg::context_t head_i,
  input  logic [sparf_pkg::SlotBits-1:0] slot_i,
  input  logic [Width-1:0]    mask_i,     // chosen dimensions, not 0
  output logic                busy_o,
  output logic                item_valid_o,
  input  logic                item_ready_i,
  output sparf_pkg::item_t    item_o
);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned LogWidth = $clog2(Width);
  localparam int unsigned MaxDims = 8;
  localparam int unsigned LineLog = $clog2(sparf_pkg::LineBits / sparf_pkg::ValueBits);
  localparam int unsigned BeatLog = $clog2(sparf_pkg::BeatBits / sparf_pkg::ValueBits);

  typedef enum logic [2:0] {
    StateIdle,
    StateBlock,
    StateRows,
    StateScan,
    StateLines,
    StateItem
  } state_e;

  state_e state_q;
  logic [CB-1:0] left_q, used_q, row_lines_q, three_rows_q, lines_q;  // left: tokens of later blocks
  logic [sparf_pkg::BeatCountBits-1:0] used_beats_q;
  logic [sparf_pkg::AddrBits-1:0] block_index_q, index_q, page_index_q;
  logic [Width-1:0] mask_q, rest;
  logic [MaxDims-1:0] slice, slice_q;
  logic begins_q, ends_q, block_last_q;

  logic [CB-1:0] above, block_tokens;
  assign above = left_q >> head_i.log_block;
  assign block_tokens = CB'(1) << head_i.log_block;

  // The next group and the groups behind it; one bit per eight dimensions, set if one of them is chosen.
  localparam int unsigned Bytes = Width / MaxDims;
  logic [Bytes-1:0] any_q;
  function automatic logic [Bytes-1:0] any_of(input logic [Width-1:0] mask);
    for (int unsigned b = 0; b < Bytes; b++) any_of[b] = mask[b*MaxDims+:MaxDims] != '0;
  endfunction
  logic [MaxDims-1:0] group_mask;
  assign group_mask = MaxDims'((9'd1 << (4'd1 << head_i.log_dims)) - 9'd1);
  assign slice = MaxDims'(mask_q) & group_mask;
  always_comb begin
    unique case (head_i.log_dims)
      2'd0: rest = mask_q >> 1;
      2'd1: rest = mask_q >> 2;
      2'd2: rest = mask_q >> 4;
      default: rest = mask_q >> 8;
    endcase
  end

  function automatic logic [3:0] ones(input logic [MaxDims-1:0] bits);
    ones = '0;
    for (int unsigned i = 0; i < MaxDims; i++) ones = ones + 4'(bits[i]);
  endfunction

  // The lines of one dimension times the number of chosen dimensions in the slice, eight at most.
  logic [3:0] count_q;
  logic [CB-1:0] few_lines, more_lines;
  always_comb begin
    unique case (count_q[1:0])
      2'd0: few_lines = '0;
      2'd1: few_lines = row_lines_q;
      2'd2: few_lines = row_lines_q << 1;
      default: few_lines = three_rows_q;
    endcase
    more_lines = count_q[3] ? row_lines_q << 3 : count_q[2] ? row_lines_q << 2 : '0;
  end

  assign busy_o = state_q != StateIdle;
  assign item_valid_o = state_q == StateItem;

  always_comb begin
    item_o = '0;
    item_o.flash = 1'b1;
    item_o.begins = begins_q;
    item_o.ends = ends_q;
    item_o.kind = sparf_pkg::KindDims;
    item_o.index = page_index_q;
    item_o.lines = lines_q;
    item_o.page.slot = slot_i;
    item_o.page.split = 1'b1;
    item_o.page.log_rows = sparf_pkg::LogRowsBits'(head_i.log_dims);
    item_o.page.log_row_beats = head_i.log_block - sparf_pkg::LogBeatsBits'(BeatLog);
    item_o.page.used_beats = used_beats_q;
    item_o.page.mask = sparf_pkg::PageRows'(slice_q);
    item_o.job.slot = slot_i;
    item_o.job.column = 1'b1;
    item_o.job.last = block_last_q && head_i.dim_all;
    item_o.job.count = used_q;
    item_o.job.dims = sparf_pkg::DimsBits'(head_i.dims);
    item_o.job.row_lines = row_lines_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      unique case (state_q)
        StateIdle: if (start_i) state_q <= StateBlock;
        StateBlock: state_q <= StateRows;
        StateRows: state_q <= StateScan;
        StateScan: if (slice != '0) state_q <= StateLines;
        StateLines: state_q <= StateItem;
        StateItem: begin
          if (item_ready_i) begin
            if (!ends_q) state_q <= StateScan;
            else state_q <= block_last_q ? StateIdle : StateBlock;
          end
        end
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StateIdle: begin
        left_q <= head_i.dim_flash;
        block_index_q <= '0;
      end
      StateBlock: begin
        used_q <= above == '0 ? left_q : block_tokens;
        block_last_q <= above == '0 || left_q == block_tokens;
        mask_q <= mask_i;
        any_q <= any_of(mask_i);
        index_q <= block_index_q;
        begins_q <= 1'b1;
      end
      StateRows: begin
        row_lines_q <= (used_q + CB'((1 << LineLog) - 1)) >> LineLog;
        used_beats_q <= sparf_pkg::BeatCountBits'((used_q + CB'((1 << BeatLog) - 1)) >> BeatLog);
        left_q <= left_q - used_q;
      end
      StateScan: begin
        mask_q <= rest;
        any_q <= any_of(rest);
        index_q <= index_q + 1'b1;
        page_index_q <= index_q;
        slice_q <= slice;
        count_q <= ones(slice);
        three_rows_q <= row_lines_q + (row_lines_q << 1);
        ends_q <= (any_q >> 1) == '0 && MaxDims'(rest) == '0;
      end
      StateLines: lines_q <= few_lines + more_lines;
      StateItem: begin
        if (item_ready_i) begin
          begins_q <= 1'b0;
          if (ends_q) begin
            block_index_q <= block_index_q
                + (sparf_pkg::AddrBits'(1) << (3'(LogWidth) - 3'(head_i.log_dims)));
          end
        end
      end
      default: ;
    endcase
  end

  `IMPLIES(StartIdle_A, start_i, !busy_o)
  `IMPLIES(SomeDimension_A, state_q == StateBlock, mask_i != '0)
  `STAYS(ItemHolds_A, item_valid_o, item_ready_i, item_o)

  if (LogWidth > 7 || Width < MaxDims) begin : gen_bad_width
    $error("sparf_dim_walker: Width must be from 8 to 128");
  end
endmodule
