// SPDX-License-Identifier: Apache-2.0
// sparf_append_unit under any descriptors, with the result of their check (prove_sparf_descriptor_check) from the
// fourth cycle on, between a reader of DRAM, a writer and flash that accept after any time. The specification uses
// the accepted words of the descriptor; InStep relates the registers of the unit to it.
`include "prove.svh"
module prove_sparf_append_unit #(
  parameter int unsigned Width = 16,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned BitBits = $clog2(LB)
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic                           desc_valid_i,
  input logic [sparf_pkg::DescBits-1:0] desc_i,
  input logic                           fits_i,
  input logic [sparf_pkg::FieldBits-1:0] field_i,
  input logic                           done_ready_i,
  input logic                           read_ready_i,
  input logic                           line_valid_i,
  input logic [LB-1:0]                  line_data_i,
  input logic                           write_ready_i,
  input logic                           page_ready_i,
  input logic [BitBits-1:0]             bit_i,         // of a line, any one
  input logic [$clog2(Width)-1:0]       dim_i          // of a row of V, any one
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned LogWidth = $clog2(Width);
  localparam int unsigned RowLines = sparf_pkg::row_lines(Width);
  localparam int unsigned LogRowLines = $clog2(RowLines);
  localparam int unsigned SumLines = Width * sparf_pkg::SumBits / LB;
  localparam int unsigned LineValues = Width < LB / 16 ? Width : LB / 16;
  localparam int unsigned LineSums = LB / sparf_pkg::SumBits;
  localparam int unsigned PlaceBits = $clog2(2 * RowLines + SumLines + 1);
  logic desc_ready, done_valid, read_valid, line_ready, write_valid, page_valid;
  sparf_pkg::done_t done;
  sparf_pkg::page_req_t page;
  logic [AB-1:0] read_line, write_line;
  logic [sparf_pkg::RingBits-1:0] read_lines;
  logic [LB-1:0] write_data;
  sparf_append_unit #(
    .Width(Width),
    .RingLines(8),
    .MaxPageRows(4)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .desc_i(desc_i),
    .done_valid_o(done_valid),
    .done_ready_i(done_ready_i),
    .done_o(done),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready_i),
    .read_line_o(read_line),
    .read_lines_o(read_lines),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .write_valid_o(write_valid),
    .write_ready_i(write_ready_i),
    .write_line_o(write_line),
    .write_data_o(write_data),
    .page_valid_o(page_valid),
    .page_ready_i(page_ready_i),
    .page_req_o(page)
  );

  // The accepted descriptor, and its progress.
  logic accepts, reads, takes, writes, asks, ends;
  logic at_work_q, fits_q, rows_read_q, sums_read_q, mean_q, bad_q, bit_q;
  logic [2:0] age_q;
  logic [sparf_pkg::FieldBits-1:0] field_q;
  logic [PlaceBits-1:0] taken_q, written_q, wanted;
  logic [BitBits-1:0] which_q;
  logic [CB-1:0] token_q, dim_flash_q, token_flash_q;
  logic [AB-1:0] head_q, q_line_q, sum_line_q, k_base_q, v_base_q;
  logic [sparf_pkg::TagBits-1:0] tag_q;
  logic [1:0] log_dims_q;
  logic [15:0] page_bytes_q;
  logic [5:0] pages_q, pages, page_place;  // requested, to be requested, which is next
  assign accepts = desc_valid_i && desc_ready;
  assign reads = read_valid && read_ready_i;
  assign takes = line_valid_i && line_ready;
  assign writes = write_valid && write_ready_i;
  assign asks = page_valid && page_ready_i;
  assign ends = done_valid && done_ready_i;
  assign wanted = mean_q ? PlaceBits'(2 * RowLines + SumLines) : PlaceBits'(2 * RowLines);

  // A line of a row with a value that is not finite: of those that are written.
  logic special;
  always @* begin
    special = 1'b0;
    for (int unsigned i = 0; i < LB / 16; i++) if (line_data_i[16*i+10+:5] == '1) special = 1'b1;
  end
  always @(posedge clk_i) begin
    if (!rst_ni) which_q <= bit_i;
    if (!rst_ni) at_work_q <= 1'b0;
    else if (accepts) at_work_q <= 1'b1;
    else if (ends) at_work_q <= 1'b0;
    if (accepts) begin
      {rows_read_q, sums_read_q, bad_q} <= '0;
      taken_q <= '0;
      written_q <= '0;
      pages_q <= '0;
      age_q <= 3'd1;
      fits_q <= fits_i;
      field_q <= fits_i ? sparf_pkg::FieldNone : field_i;
      mean_q <= desc_i[32*sparf_pkg::DescMode+12];
      log_dims_q <= desc_i[32*sparf_pkg::DescMode+8+:2];
      tag_q <= desc_i[32*sparf_pkg::DescMode+16+:sparf_pkg::TagBits];
      token_q <= desc_i[32*sparf_pkg::DescTokens+:CB];
      dim_flash_q <= desc_i[32*sparf_pkg::DescDimFlash+:CB];
      token_flash_q <= desc_i[32*sparf_pkg::DescTokenFlash+:CB];
      head_q <= desc_i[32*sparf_pkg::DescHead+:AB];
      q_line_q <= desc_i[32*sparf_pkg::DescQLine+:AB];
      sum_line_q <= desc_i[32*sparf_pkg::DescSumLine+:AB];
      k_base_q <= desc_i[32*sparf_pkg::DescKLine+:AB];
      v_base_q <= desc_i[32*sparf_pkg::DescVLine+:AB];
      page_bytes_q <= desc_i[32*sparf_pkg::DescPageBytes+:16];
    end else begin
      if (age_q < 3'd4) age_q <= age_q + 1'b1;
      if (reads && !rows_read_q) rows_read_q <= 1'b1;
      if (reads && rows_read_q) sums_read_q <= 1'b1;
      if (takes) begin
        taken_q <= taken_q + 1'b1;
        bit_q <= line_data_i[which_q];
        if (taken_q < PlaceBits'(2 * RowLines) && special) bad_q <= 1'b1;
      end
      if (writes) written_q <= written_q + 1'b1;
      if (asks) pages_q <= pages_q + 1'b1;
    end
  end
  // Connected to undriven wires of the unit.
  (* hierconn *) logic \u_dut.fits ;
  (* hierconn *) logic [sparf_pkg::FieldBits-1:0] \u_dut.field ;
  assign \u_dut.fits = age_q == 3'd4 ? fits_q : fits_i;
  assign \u_dut.field = age_q == 3'd4 ? field_q : field_i;
  `ASSUME(!accepts || fits_i || field_i != sparf_pkg::FieldNone)
  // A line arrives only for an accepted run.
  `ASSUME(!line_valid_i || (at_work_q &&
          (taken_q < PlaceBits'(2 * RowLines) ? rows_read_q : sums_read_q)))

  // Values derived from the words. The unit registers the acceptance of a page request one cycle later.
  (* hierconn *) logic \u_dut.page_taken_q ;
  assign page_place = pages_q - {5'd0, \u_dut.page_taken_q };
  logic [3:0] page_log, log_rows, log_block;
  logic [CB-1:0] next_token, k_offset, v_offset, row_mask, block_mask;
  logic [AB-1:0] k_line, v_line, group_index, block_index, index;
  logic group_full, block_full;
  logic [1:0] kind;
  function automatic logic [AB-1:0] address(input logic [PlaceBits-1:0] place);
    if (place < PlaceBits'(RowLines)) address = k_line + {{(AB - PlaceBits){1'b0}}, place};
    else if (place < PlaceBits'(2 * RowLines))
      address = v_line + {{(AB - PlaceBits){1'b0}}, place} - AB'(RowLines);
    else address = sum_line_q + {{(AB - PlaceBits){1'b0}}, place} - AB'(2 * RowLines);
  endfunction
  always @* begin
    page_log = '0;
    for (int unsigned b = 0; b < 16; b++) if (page_bytes_q[b]) page_log = 4'(b);
    log_rows = page_log - 4'd1 - 4'(LogWidth);
    log_block = page_log - 4'd1 - {2'd0, log_dims_q};
    next_token = token_q + 1'b1;
    row_mask = ({{(CB - 1){1'b0}}, 1'b1} << log_rows) - 1'b1;
    block_mask = ({{(CB - 1){1'b0}}, 1'b1} << log_block) - 1'b1;
    group_full = (next_token & row_mask) == '0;
    block_full = (next_token & block_mask) == '0;
    k_offset = token_q - dim_flash_q;
    v_offset = token_q - token_flash_q;
    k_line = k_base_q + ({{(AB - CB){1'b0}}, k_offset} << LogRowLines);
    v_line = v_base_q + ({{(AB - CB){1'b0}}, v_offset} << LogRowLines);
    group_index = {{(AB - CB){1'b0}}, token_q >> log_rows};
    block_index = {{(AB - CB){1'b0}}, token_q >> log_block} << (3'(LogWidth) - {1'b0, log_dims_q});
    pages = (group_full ? 6'd2 : 6'd0) + (block_full ? 6'(Width) >> log_dims_q : 6'd0);
    // The next page.
    if (group_full && page_place < 6'd2) begin
      kind = page_place[0] ? sparf_pkg::KindValues : sparf_pkg::KindKeys;
      index = group_index;
    end else begin
      kind = sparf_pkg::KindDims;
      index = block_index + {{(AB - 6){1'b0}}, page_place} - (group_full ? AB'(2) : '0);
    end
  end

  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [3:0] \u_dut.state_q , \u_dut.page_log_q , \u_dut.log_rows_q , \u_dut.log_block_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.token_q , \u_dut.dim_flash_q , \u_dut.token_flash_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.next_token_q , \u_dut.k_offset_q , \u_dut.v_offset_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.index_left_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.head_q , \u_dut.q_line_q , \u_dut.sum_line_q , \u_dut.index_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.k_base_q , \u_dut.v_base_q , \u_dut.k_line_q , \u_dut.v_line_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.group_index_q , \u_dut.block_index_q ;
  (* hierconn *) logic [PlaceBits-1:0] \u_dut.place_q ;
  (* hierconn *) logic \u_dut.group_full_q , \u_dut.block_full_q , \u_dut.added_q , \u_dut.mean_q ;
  (* hierconn *) logic [sparf_pkg::TagBits-1:0] \u_dut.tag_q ;
  (* hierconn *) logic [1:0] \u_dut.log_dims_q ;
  (* hierconn *) logic [sparf_pkg::FieldBits-1:0] \u_dut.field_q ;
  (* hierconn *) logic \u_dut.non_finite_q ;
  (* hierconn *) logic [LB-1:0] \u_dut.sums_q ;
  localparam logic [3:0] Idle = 4'd0, Derive = 4'd1, Check = 4'd2, Fit = 4'd3, Rows = 4'd4, Sums = 4'd5;
  localparam logic [3:0] Take = 4'd6, Add = 4'd7, Write = 4'd8, Full = 4'd9, Keys = 4'd10, Values = 4'd11;
  localparam logic [3:0] Dims = 4'd12, Done = 4'd13;
  logic [3:0] state;
  logic words_right, early_right, late_right, place_right, pages_right, line_right, kept_special, in_step;
  logic [2:0] idle_q;  // cycles at work without waiting for another unit
  assign state = \u_dut.state_q ;
  always @* begin
    words_right = \u_dut.tag_q == tag_q && \u_dut.mean_q == mean_q && \u_dut.log_dims_q == log_dims_q &&
        \u_dut.page_log_q == page_log && \u_dut.token_q == token_q && \u_dut.dim_flash_q == dim_flash_q &&
        \u_dut.token_flash_q == token_flash_q && \u_dut.head_q == head_q && \u_dut.q_line_q == q_line_q &&
        \u_dut.sum_line_q == sum_line_q && \u_dut.k_base_q == k_base_q && \u_dut.v_base_q == v_base_q;
    early_right = \u_dut.log_rows_q == log_rows && \u_dut.log_block_q == log_block &&
        \u_dut.next_token_q == next_token && \u_dut.k_offset_q == k_offset &&
        \u_dut.v_offset_q == v_offset;
    late_right = \u_dut.group_full_q == group_full && \u_dut.block_full_q == block_full &&
        \u_dut.group_index_q == group_index && \u_dut.block_index_q == block_index &&
        \u_dut.k_line_q == k_line && \u_dut.v_line_q == v_line;
    // Lines: one line is inside from its acceptance to its write.
    case (state)
      Derive, Check, Fit, Rows: place_right = written_q == '0 && taken_q == '0 && !rows_read_q &&
          !sums_read_q;
      Sums: place_right = taken_q == written_q && rows_read_q && !sums_read_q && mean_q &&
          written_q == PlaceBits'(2 * RowLines) && write_line == address(written_q - 1'b1);
      Take: place_right = taken_q == written_q && written_q < wanted && rows_read_q &&
          sums_read_q == (written_q >= PlaceBits'(2 * RowLines)) &&
          (written_q == '0 || write_line == address(written_q - 1'b1));
      Add, Write: place_right = taken_q == written_q + 1'b1 && written_q < wanted && rows_read_q &&
          sums_read_q == (written_q >= PlaceBits'(2 * RowLines)) && write_line == address(written_q) &&
          (state == Write ? \u_dut.added_q == (written_q >= PlaceBits'(2 * RowLines))
                          : written_q >= PlaceBits'(2 * RowLines));
      Done: place_right = taken_q == written_q && written_q == (done.refused ? '0 : wanted) &&
          rows_read_q == !done.refused;
      default: place_right = taken_q == wanted && written_q == wanted && rows_read_q;
    endcase
    case (state)
      Keys: pages_right = group_full && page_place == 6'd0 && \u_dut.index_q == group_index;
      Values: pages_right = group_full && page_place == 6'd1 && \u_dut.index_q == group_index;
      Dims: pages_right = block_full && page_place >= (group_full ? 6'd2 : 6'd0) && page_place < pages &&
          \u_dut.index_q == index && \u_dut.index_left_q == {{(CB - 6){1'b0}}, pages - page_place};
      Done: pages_right = pages_q == (done.refused ? '0 : pages);
      default: pages_right = pages_q == '0;
    endcase
    if (\u_dut.page_taken_q && (pages_q == '0 || state < Keys || state > Dims || idle_q != '0))
      pages_right = 1'b0;
    if ((state == Keys || state == Values) &&
        \u_dut.index_left_q != CB'(Width) >> log_dims_q) pages_right = 1'b0;
    // In each of these states a page is requested until the request is accepted.
    if (page_valid != (state >= Keys && state <= Dims && !\u_dut.page_taken_q )) pages_right = 1'b0;
    if (state >= Keys && state <= Dims && page.kind != kind) pages_right = 1'b0;
    kept_special = 1'b0;
    for (int unsigned i = 0; i < LB / 16; i++) if (\u_dut.sums_q [16*i+10+:5] == '1) kept_special = 1'b1;
    line_right = bad_q == \u_dut.non_finite_q ;
    if (state == Write && written_q < PlaceBits'(2 * RowLines))
      line_right = bad_q == (\u_dut.non_finite_q || kept_special) && \u_dut.sums_q [which_q] == bit_q;
    in_step = at_work_q && line_right && state <= Done && words_right && \u_dut.place_q == written_q && place_right &&
        pages_right && (state < Check || early_right) && (state < Fit || late_right) &&
        (state > Rows || (age_q == (state == Derive ? 3'd1 : state == Check ? 3'd2
                                    : state == Fit ? 3'd3 : 3'd4) && !bad_q)) &&
        (state <= Rows || (\u_dut.field_q == field_q && (state == Done || fits_q) &&
                           fits_q == (field_q == sparf_pkg::FieldNone))) &&
        (fits_q ? field_q == sparf_pkg::FieldNone : field_q != sparf_pkg::FieldNone) &&
        idle_q <= (state == Rows ? 3'd3 : state == Done ? 3'd4 : state == Fit ? 3'd2
                   : state == Derive || state == Add || state == Full ? 3'd0 : 3'd1);
    if (state == Idle) in_step = !at_work_q && !page_valid;
  end

  always @(posedge clk_i) begin
    if (!rst_ni || !at_work_q || read_valid || line_ready || write_valid || page_valid || done_valid)
      idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
  end

  // The value of V of the watched dimension: its place while lines of V arrive, and while sums leave.
  (* hierconn *) logic [RowLines*LB-1:0] \u_dut.values_q ;
  logic [LogWidth-1:0] dim_q;
  logic [15:0] value_q;
  logic [31:0] dim, value_line, v_lines, added, place;
  logic has_value, values_right;
  assign dim = 32'(dim_q);
  assign value_line = dim / LineValues;
  always @(posedge clk_i) begin
    if (!rst_ni) dim_q <= dim_i;
    if (takes && 32'(taken_q) == RowLines + value_line) value_q <= line_data_i[16*(dim%LineValues)+:16];
  end
  always @* begin
    v_lines = 32'(taken_q) < RowLines ? 32'd0 : 32'(taken_q) < 2 * RowLines ? 32'(taken_q) - RowLines : RowLines;
    added = 32'(written_q) < 2 * RowLines ? 32'd0 : 32'(written_q) - 2 * RowLines;
    if (state == Write && 32'(written_q) >= 2 * RowLines) added = added + 1'b1;
    has_value = at_work_q && rows_read_q && value_line < v_lines && dim >= LineSums * added;
    place = (RowLines - v_lines + value_line) * (LB / 16) + dim % LineValues - LineSums * added;
    values_right = !has_value || \u_dut.values_q [16*place+:16] == value_q;
  end

  `FROM_INVARIANT(in_step && values_right)
  `PROVE(InStep, in_step)
  `PROVE(OneAtATime, desc_ready == !at_work_q)
  `PROVE(Reads, !read_valid || (at_work_q && !(taken_q < written_q) &&
         (rows_read_q ? mean_q && !sums_read_q && taken_q == PlaceBits'(2 * RowLines) &&
                        read_line == sum_line_q && 32'(read_lines) == SumLines
                      : read_line == q_line_q && 32'(read_lines) == 2 * RowLines)))
  `PROVE(Writes, !write_valid || (written_q < wanted && taken_q == written_q + 1'b1 &&
         write_line == address(written_q)))
  `PROVE(RowData, !write_valid || written_q >= PlaceBits'(2 * RowLines) || write_data[which_q] == bit_q)
  `PROVE(Pages, !page_valid || (written_q == wanted && pages_q < pages && page.write && page.kind == kind &&
         page.index == index && page.head == head_q))
  `PROVE(Done, !done_valid || (done.tag == tag_q && done.refused == !fits_q && done.field == field_q &&
         !done.unreadable && (done.refused ? taken_q == '0 && written_q == '0 && pages_q == '0 && !rows_read_q
                       : written_q == wanted && pages_q == pages)))
  `PROVE(NonFinite, !done_valid || done.non_finite == bad_q)
  `PROVE(SumValues, values_right && (!takes || 32'(taken_q) != 2 * RowLines + dim / LineSums ||
         \u_dut.values_q [16*(dim%LineSums)+:16] == value_q))
  `PROVE(Progress, idle_q < 3'd5)
endmodule
