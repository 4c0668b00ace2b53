// SPDX-License-Identifier: Apache-2.0
// sparf_dim_walker against nested loops: blocks of tokens, and in each the groups of dimensions with a chosen one. The
// state of the specification is the number of the block and the first group that is not accepted yet; InStep relates
// the registers of the walker to it, in each of its states.
`include "prove.svh"
module prove_sparf_dim_walker #(
  parameter int unsigned Width = 16
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic                                start_i,
  input logic [1:0]                          log_dims_i,
  input logic [sparf_pkg::LogTokensBits-1:0] log_block_i,
  input logic [sparf_pkg::CountBits-1:0]     dim_flash_i,
  input logic [sparf_pkg::CountBits-1:0]     dims_i,
  input logic                                dim_all_i,
  input logic [sparf_pkg::SlotBits-1:0]      slot_i,
  input logic [Width-1:0]                    mask_i,
  input logic                                item_ready_i
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned LogWidth = $clog2(Width);
  logic busy, item_valid, takes;
  sparf_pkg::item_t item;
  sparf_pkg::context_t head;

  // The head stays from its start until the walker is through.
  logic [1:0] log_dims_q;
  logic [sparf_pkg::LogTokensBits-1:0] log_block_q;
  logic [CB-1:0] dim_flash_q, dims_q;
  logic dim_all_q;
  logic [sparf_pkg::SlotBits-1:0] slot_q;
  logic [Width-1:0] chosen_q;
  always @(posedge clk_i) begin
    if (!rst_ni || (!busy && !start_i)) begin
      log_dims_q <= log_dims_i;
      log_block_q <= log_block_i;
      dim_flash_q <= dim_flash_i;
      dims_q <= dims_i;
      dim_all_q <= dim_all_i;
      slot_q <= slot_i;
      chosen_q <= mask_i;
    end
  end
  always @* begin
    head = '0;
    head.log_dims = log_dims_q;
    head.log_block = log_block_q;
    head.dim_flash = dim_flash_q;
    head.dims = dims_q;
    head.dim_all = dim_all_q;
  end
  `ASSUME(!start_i || (!busy && chosen_q != '0 && dim_flash_q != '0 && log_block_q >= 4'd2 &&
          32'(log_block_q) < CB))
  sparf_dim_walker #(
    .Width(Width)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .head_i(head),
    .slot_i(slot_q),
    .mask_i(chosen_q),
    .busy_o(busy),
    .item_valid_o(item_valid),
    .item_ready_i(item_ready_i),
    .item_o(item)
  );
  assign takes = item_valid && item_ready_i;

  // The next page.
  logic more_q, first_q;  // pages remain; it is the first of its block
  logic [CB-1:0] block_q;
  logic [LogWidth:0] from_q, group, place, behind;
  logic [Width-1:0] upper, above;
  logic [7:0] slice;
  logic [3:0] chosen;
  logic [CB-1:0] begin_token, rest, block_tokens, used, row_lines, beats, page_lines;
  logic last_block, ends;
  logic [AB-1:0] block_index, index;
  always @* begin
    place = '0;
    upper = (chosen_q >> (from_q << log_dims_q)) << (from_q << log_dims_q);
    for (int unsigned d = Width; d > 0; d--) if (upper[d-1]) place = (LogWidth + 1)'(d - 1);
    group = place >> log_dims_q;
    behind = (group + 1'b1) << log_dims_q;
    above = chosen_q >> behind;
    ends = above == '0;
    chosen = '0;
    for (int unsigned d = 0; d < 8; d++) begin
      slice[d] = 1'b0;
      for (int unsigned w = 0; w < Width; w++) begin
        if (w == 32'(group << log_dims_q) + d && (d >> log_dims_q) == 0) slice[d] = chosen_q[w];
      end
      chosen = chosen + {3'd0, slice[d]};
    end
    block_tokens = {{(CB - 1){1'b0}}, 1'b1} << log_block_q;
    begin_token = block_q << log_block_q;
    rest = dim_flash_q - begin_token;
    last_block = rest <= block_tokens;
    used = last_block ? rest : block_tokens;
    row_lines = (used + CB'(31)) >> 5;
    beats = (used + CB'(3)) >> 2;
    page_lines = '0;
    for (int unsigned d = 0; d < 8; d++) if (slice[d]) page_lines = page_lines + row_lines;
    block_index = {{(AB - CB){1'b0}}, block_q} << (LogWidth - log_dims_q);
    index = block_index + {{(AB - LogWidth - 1){1'b0}}, group};
  end
  always @(posedge clk_i) begin
    if (!rst_ni) more_q <= 1'b0;
    else if (start_i) more_q <= 1'b1;
    else if (takes && ends && last_block) more_q <= 1'b0;
    if (start_i || (takes && ends)) begin
      block_q <= start_i ? '0 : block_q + 1'b1;
      from_q <= '0;
      first_q <= 1'b1;
    end else if (takes) begin
      from_q <= group + 1'b1;
      first_q <= 1'b0;
    end
  end

  // Cycles in which pages remain and none is offered.
  logic [4:0] idle_q;
  always @(posedge clk_i) begin
    if (!rst_ni || !more_q || item_valid) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
  end

  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [2:0] \u_dut.state_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.left_q , \u_dut.used_q , \u_dut.row_lines_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.three_rows_q , \u_dut.lines_q ;
  (* hierconn *) logic [sparf_pkg::BeatCountBits-1:0] \u_dut.used_beats_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.block_index_q , \u_dut.index_q , \u_dut.page_index_q ;
  (* hierconn *) logic [Width-1:0] \u_dut.mask_q ;
  (* hierconn *) logic [7:0] \u_dut.slice_q ;
  (* hierconn *) logic [3:0] \u_dut.count_q ;
  (* hierconn *) logic [Width/8-1:0] \u_dut.any_q ;
  (* hierconn *) logic \u_dut.begins_q , \u_dut.ends_q , \u_dut.block_last_q ;
  localparam logic [2:0] Idle = 3'd0, Block = 3'd1, Rows = 3'd2, Scan = 3'd3, Lines = 3'd4, Item = 3'd5;
  logic [2:0] state;
  logic [AB-1:0] scanned;
  logic [Width-1:0] passed, left_over;
  logic in_step, any_right;
  assign state = \u_dut.state_q ;
  always @* begin
    scanned = \u_dut.index_q - block_index;
    left_over = chosen_q >> (scanned[LogWidth:0] << log_dims_q);
    passed = upper ^ (left_over << (scanned[LogWidth:0] << log_dims_q));
    any_right = 1'b1;
    for (int unsigned b = 0; b < Width / 8; b++) begin
      if (\u_dut.any_q [b] != (\u_dut.mask_q [8*b+:8] != '0)) any_right = 1'b0;
    end
    case (state)
      Idle: in_step = !more_q;
      Block: in_step = more_q && first_q && from_q == '0 && \u_dut.left_q == rest && idle_q == '0;
      Rows: in_step = more_q && first_q && from_q == '0 && \u_dut.left_q == rest && idle_q <= 5'd1 &&
          \u_dut.mask_q == chosen_q && any_right && \u_dut.index_q == block_index &&
          \u_dut.begins_q ;
      Scan: in_step = more_q && \u_dut.begins_q == first_q && any_right && passed == '0 &&
          left_over != '0 && \u_dut.mask_q == left_over && scanned >= {{(AB - LogWidth - 1){1'b0}}, from_q} &&
          scanned < (AB'(Width) >> log_dims_q) && idle_q <= scanned[4:0] + 5'd2;
      Lines, Item: in_step = more_q && \u_dut.begins_q == first_q && any_right &&
          \u_dut.page_index_q == index && \u_dut.index_q == index + 1'b1 && \u_dut.mask_q == above &&
          \u_dut.slice_q == slice && \u_dut.ends_q == ends &&
          (state == Item ? \u_dut.lines_q == page_lines && idle_q <= group + 5'd4
                         : \u_dut.count_q == chosen && \u_dut.three_rows_q == CB'(3) * row_lines &&
                           idle_q <= group + 5'd3);
      default: in_step = 1'b0;
    endcase
    if (more_q) begin
      if (\u_dut.block_index_q != block_index || begin_token >= dim_flash_q || upper == '0) in_step = 1'b0;
      if ({{(2*CB){1'b0}}, block_q} << log_block_q != {{(2*CB){1'b0}}, begin_token}) in_step = 1'b0;
      if (dim_flash_q == '0 || log_block_q < 4'd2 || 32'(log_block_q) >= CB) in_step = 1'b0;
      if (from_q > (LogWidth + 1)'(Width) >> log_dims_q) in_step = 1'b0;
    end
    if (state >= Rows && (\u_dut.used_q != used || \u_dut.block_last_q != last_block)) in_step = 1'b0;
    if (state >= Scan && (\u_dut.row_lines_q != row_lines || \u_dut.left_q != rest - used ||
        CB'(\u_dut.used_beats_q ) != beats)) in_step = 1'b0;
  end

  `FROM_INVARIANT(in_step)
  `PROVE(InStep, in_step)
  `PROVE(Order, !item_valid || (more_q && item.flash && item.kind == sparf_pkg::KindDims &&
         item.index == index && item.page.mask == sparf_pkg::PageRows'(slice)))
  `PROVE(Job, !item_valid || (item.begins == first_q && item.ends == ends &&
         item.job.last == (last_block && dim_all_q) && item.job.count == used && item.job.column &&
         !item.job.second && item.job.slot == slot_q && item.page.slot == slot_q &&
         item.job.dims == sparf_pkg::DimsBits'(dims_q) && CB'(item.job.row_lines) == row_lines))
  `PROVE(Room, !item_valid || (CB'(item.lines) == page_lines && CB'(item.page.used_beats) == beats &&
         item.page.split && item.page.log_rows == {1'b0, log_dims_q} &&
         item.page.log_row_beats == log_block_q - 4'd2))
  `PROVE(AllRequested, busy == more_q)
  `PROVE(Progress, idle_q <= 5'd19)
endmodule
