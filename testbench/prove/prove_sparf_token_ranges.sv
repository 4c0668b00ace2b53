// SPDX-License-Identifier: Apache-2.0
// sparf_token_walker on all tokens from the first to the end: the pages of those on flash, then runs of rows in
// DRAM. The state of the specification is the next token; InStep relates the registers of the walker to it.
`include "prove.svh"
module prove_sparf_token_ranges #(
  parameter int unsigned Width = 64,
  parameter int unsigned MaxPageRows = 16
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              start_i,
  input logic                              whole_i,      // from token 0 on, or from the end of flash
  input logic [sparf_pkg::CountBits-1:0]   flash_end_i,
  input logic [sparf_pkg::CountBits-1:0]   end_i,
  input logic [sparf_pkg::CountBits-1:0]   dram_first_i,
  input logic [sparf_pkg::LogRowsBits-1:0] log_rows_i,
  input logic [sparf_pkg::AddrBits-1:0]    dram_line_i,
  input logic                              item_ready_i
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned LogRowLines = $clog2(sparf_pkg::row_lines(Width));
  localparam int unsigned LineRows = sparf_pkg::LineBits / sparf_pkg::ValueBits;  // values of a line
  localparam int unsigned Chunk = Width >= LineRows ? 8 : 1;
  logic busy, sel_read, item_valid, takes;
  sparf_pkg::item_t item;
  assign takes = item_valid && item_ready_i;

  // The head stays from its start until the walker is through.
  logic whole_q, legal;
  logic [CB-1:0] flash_end_q, end_q, dram_first_q, first;
  logic [sparf_pkg::LogRowsBits-1:0] log_rows_q;
  logic [AB-1:0] dram_line_q;
  always @(posedge clk_i) begin
    if (!rst_ni || (!busy && !start_i)) begin
      whole_q <= whole_i;
      flash_end_q <= flash_end_i;
      end_q <= end_i;
      dram_first_q <= dram_first_i;
      log_rows_q <= log_rows_i;
      dram_line_q <= dram_line_i;
    end
  end
  assign first = whole_q ? '0 : flash_end_q;
  assign legal = dram_first_q <= flash_end_q && flash_end_q <= end_q && first < end_q &&
      32'(log_rows_q) <= $clog2(MaxPageRows);
  `ASSUME(!start_i || (!busy && legal))
  sparf_token_walker #(
    .Width(Width),
    .Values(1'b1),
    .MaxPageRows(MaxPageRows)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .slot_i('0),
    .select_i(1'b0),
    .second_i(1'b0),
    .first_i(first),
    .flash_end_i(flash_end_q),
    .end_i(end_q),
    .take_i('0),
    .log_rows_i(log_rows_q),
    .dram_line_i(dram_line_q),
    .dram_first_i(dram_first_q),
    .sel_valid_i(1'b1),
    .sel_read_o(sel_read),
    .sel_beat_i('0),
    .sel_mask_i('0),
    .busy_o(busy),
    .item_valid_o(item_valid),
    .item_ready_i(item_ready_i),
    .item_o(item)
  );

  // The next token, and the item that begins with it.
  logic more_q, flash, last;
  logic [CB-1:0] next_q, rest, rows, count, behind;
  logic [AB-1:0] line, index;
  logic [31:0] lines;
  always @* begin
    flash = next_q < flash_end_q;
    rest = flash ? flash_end_q - next_q : end_q - next_q;
    rows = flash ? {{(CB - 1){1'b0}}, 1'b1} << log_rows_q : CB'(Chunk);
    count = rest < rows ? rest : rows;
    behind = next_q + count;
    last = behind == end_q;
    index = {{(AB - CB){1'b0}}, next_q >> log_rows_q};
    line = dram_line_q + ({{(AB - CB){1'b0}}, next_q - dram_first_q} << LogRowLines);
    lines = ({{(32 - CB){1'b0}}, count} * Width + LineRows - 1) / LineRows;
  end
  always @(posedge clk_i) begin
    if (!rst_ni) more_q <= 1'b0;
    else if (start_i) more_q <= 1'b1;
    else if (takes && last) more_q <= 1'b0;
    if (start_i) next_q <= first;
    else if (takes) next_q <= behind;
  end
  logic [1:0] idle_q;
  always @(posedge clk_i) begin
    if (!rst_ni || !more_q || item_valid) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
  end

  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [3:0] \u_dut.state_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.token_q , \u_dut.left_q , \u_dut.flash_left_q , \u_dut.count_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.offset_q , \u_dut.token_group_q , \u_dut.rows_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.group_mask_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.line_q ;
  (* hierconn *) logic \u_dut.flash_q , \u_dut.last_q , \u_dut.all_flash_q ;
  localparam logic [3:0] Idle = 4'd0, Plan = 4'd1, Count = 4'd2, Range = 4'd3;
  logic in_step;
  always @* begin
    in_step = legal && \u_dut.token_q == next_q && next_q < end_q && more_q &&
        \u_dut.all_flash_q == (flash_end_q == end_q) && next_q >= first &&
        (!flash || (next_q & ((({{(CB - 1){1'b0}}, 1'b1}) << log_rows_q) - 1'b1)) == '0);
    case (\u_dut.state_q )
      Idle: in_step = !more_q;
      Plan: if (idle_q != '0) in_step = 1'b0;
      Count: if (idle_q > 2'd1 || \u_dut.flash_q != flash || \u_dut.left_q != end_q - next_q ||
                 \u_dut.flash_left_q != flash_end_q - next_q ||
                 \u_dut.offset_q != next_q - dram_first_q) in_step = 1'b0;
      Range: if (idle_q > 2'd2 || \u_dut.flash_q != flash || \u_dut.count_q != count ||
                 \u_dut.offset_q != next_q - dram_first_q || \u_dut.last_q != last ||
                 \u_dut.line_q != line || \u_dut.token_group_q != index[CB-1:0]) in_step = 1'b0;
      default: in_step = 1'b0;
    endcase
    if (\u_dut.state_q != Idle && (\u_dut.rows_q != {{(CB - 1){1'b0}}, 1'b1} << log_rows_q ||
                                   \u_dut.group_mask_q != {CB{1'b1}} << log_rows_q)) in_step = 1'b0;
  end

  logic mask_right;
  always @* begin
    mask_right = item.page.mask >> MaxPageRows == '0;
    for (int unsigned r = 0; r < MaxPageRows; r++) begin
      if (item.page.mask[r] != (CB'(r) < count)) mask_right = 1'b0;
    end
  end
  `FROM_INVARIANT(in_step)
  `PROVE(InStep, in_step)
  `PROVE(Order, !item_valid || (more_q && item.flash == flash &&
         (flash ? item.index == index && mask_right : item.line == line)))
  `PROVE(Job, !item_valid || (item.job.count == count && item.job.last == last && item.begins &&
         item.ends && item.kind == sparf_pkg::KindValues && 32'(item.lines) == lines))
  `PROVE(NoBeats, !sel_read)
  `PROVE(AllRequested, busy == more_q)
  `PROVE(Progress, idle_q <= 2'd2)
endmodule
