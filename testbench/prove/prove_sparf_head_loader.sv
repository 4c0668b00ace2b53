// SPDX-License-Identifier: Apache-2.0
// sparf_head_loader under any descriptors, with the result of their check (prove_sparf_descriptor_check) from the
// fourth cycle on: slots that become free at any time, visible a cycle later, a kernel and a reader of DRAM that
// accept after any time, and lines of accepted runs that arrive after any time. The specification uses the accepted
// words of the descriptor.
`include "prove.svh"
module prove_sparf_head_loader #(
  parameter int unsigned Width = 64,
  parameter int unsigned MaxKeys = 64,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 2
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic                           desc_valid_i,
  input logic [sparf_pkg::DescBits-1:0] desc_i,
  input logic                           fits_i,
  input logic [sparf_pkg::FieldBits-1:0] field_i,
  input logic [Slots-1:0]               release_i,
  input logic                           refuse_ready_i,
  input logic                           head_ready_i,
  input logic                           read_ready_i,
  input logic                           line_taken_i
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned RowLines = sparf_pkg::row_lines(Width);
  localparam int unsigned SumLines = Width * sparf_pkg::SumBits / sparf_pkg::LineBits;
  logic desc_ready, busy, table_valid, refuse_valid, head_valid, read_valid;
  logic [sparf_pkg::SlotBits-1:0] slot;
  logic [sparf_pkg::FieldBits-1:0] refuse_field;
  logic [AB-1:0] read_line, sum_line;
  logic [sparf_pkg::RingBits-1:0] read_lines;
  sparf_pkg::context_t context;
  sparf_pkg::head_t head;
  logic [Slots-1:0] used_q;
  logic some_free_q;
  sparf_head_loader #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(64),
    .MaxPageRows(4),
    .Slots(Slots),
    .Tags(64)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .busy_o(busy),
    .desc_i(desc_i),
    .free_i(~used_q),
    .some_free_i(some_free_q),
    .table_valid_o(table_valid),
    .slot_o(slot),
    .table_o(context),
    .refuse_valid_o(refuse_valid),
    .refuse_ready_i(refuse_ready_i),
    .refuse_field_o(refuse_field),
    .head_valid_o(head_valid),
    .head_ready_i(head_ready_i),
    .head_o(head),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready_i),
    .read_line_o(read_line),
    .read_lines_o(read_lines),
    .line_taken_i(line_taken_i),
    .sum_line_o(sum_line)
  );
  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [3:0] \u_dut.u_fields.page_log_q ;
  (* hierconn *) logic [AB-1:0] \u_dut.u_fields.q_line_q ;
  (* hierconn *) logic \u_dut.u_fields.take_fits_q , \u_dut.u_fields.window_fits_q ;
  (* hierconn *) logic [CB-1:0] \u_dut.lines_left_q , \u_dut.u_fields.queries_q ;
  logic [3:0] page_log;
  logic [CB-1:0] lines_left, queries;
  assign queries = \u_dut.u_fields.queries_q ;
  assign page_log = \u_dut.u_fields.page_log_q ;
  assign lines_left = \u_dut.lines_left_q ;

  // The accepted descriptor, cycles since its acceptance (four at most), and its progress.
  logic at_work_q, fits_q, slot_reported_q, given_q, queried_q, summed_q;
  logic [2:0] age_q;
  logic [sparf_pkg::FieldBits-1:0] field_q;
  logic [31:0] mode_q, tokens_q, take_q, window_q, dims_q, dim_flash_q, token_flash_q, page_q;
  logic [AB-1:0] head_q, q_line_q, sum_line_q, k_line_q, v_line_q, out_line_q;
  logic [sparf_pkg::FloatBits-1:0] scale_q, reciprocal_q;
  logic [5:0] taken_q;  // lines
  logic accepts, gives, refuses, reads, through, wants_sums, dense;
  logic [4:0] group;
  logic [5:0] query_lines, asked, wanted, left;
  assign accepts = desc_valid_i && desc_ready;
  assign gives = head_valid && head_ready_i;
  assign refuses = refuse_valid && refuse_ready_i;
  assign reads = read_valid && read_ready_i;
  assign dense = mode_q[3:0] == sparf_pkg::OpDense;
  assign group = {1'b0, mode_q[7:4]} + 5'd1;
  assign wants_sums = !dense && mode_q[12];
  assign query_lines = 6'(group) * 6'(RowLines);
  assign asked = (queried_q ? query_lines : '0) + (summed_q ? 6'(SumLines) : '0);
  assign wanted = query_lines + (wants_sums ? 6'(SumLines) : '0);
  assign left = wanted - taken_q;
  assign through = given_q && queried_q && (summed_q || !wants_sums) && taken_q == wanted;
  always @(posedge clk_i) begin
    some_free_q <= !rst_ni || used_q != '1;
    if (!rst_ni) begin
      used_q <= '0;
      at_work_q <= 1'b0;
    end else begin
      used_q <= used_q & ~release_i;
      if (table_valid) used_q[slot[$clog2(Slots)-1:0]] <= 1'b1;
      if (accepts) at_work_q <= 1'b1;
      else if (refuses || through) at_work_q <= 1'b0;
    end
    if (accepts) begin
      {slot_reported_q, given_q, queried_q, summed_q} <= '0;
      taken_q <= '0;
      age_q <= 3'd1;
      fits_q <= fits_i;
      field_q <= fits_i ? sparf_pkg::FieldNone : field_i;
      mode_q <= desc_i[32*sparf_pkg::DescMode+:32];
      tokens_q <= desc_i[32*sparf_pkg::DescTokens+:32];
      take_q <= desc_i[32*sparf_pkg::DescTake+:32];
      window_q <= desc_i[32*sparf_pkg::DescWindow+:32];
      dims_q <= desc_i[32*sparf_pkg::DescDims+:32];
      dim_flash_q <= desc_i[32*sparf_pkg::DescDimFlash+:32];
      token_flash_q <= desc_i[32*sparf_pkg::DescTokenFlash+:32];
      page_q <= desc_i[32*sparf_pkg::DescPageBytes+:32];
      head_q <= desc_i[32*sparf_pkg::DescHead+:AB];
      q_line_q <= desc_i[32*sparf_pkg::DescQLine+:AB];
      sum_line_q <= desc_i[32*sparf_pkg::DescSumLine+:AB];
      k_line_q <= desc_i[32*sparf_pkg::DescKLine+:AB];
      v_line_q <= desc_i[32*sparf_pkg::DescVLine+:AB];
      out_line_q <= desc_i[32*sparf_pkg::DescOutLine+:AB];
      scale_q <= desc_i[32*sparf_pkg::DescScale+:sparf_pkg::FloatBits];
      reciprocal_q <= desc_i[32*sparf_pkg::DescReciprocal+:sparf_pkg::FloatBits];
    end else begin
      if (age_q < 3'd4) age_q <= age_q + 1'b1;
      if (table_valid) slot_reported_q <= 1'b1;
      if (gives) given_q <= 1'b1;
      if (reads && !queried_q) queried_q <= 1'b1;
      if (reads && queried_q) summed_q <= 1'b1;
      if (line_taken_i) taken_q <= taken_q + 1'b1;
    end
  end
  // Connected to undriven wires of the unit. A descriptor with a field out of its range does not fit.
  (* hierconn *) logic \u_dut.fits ;
  (* hierconn *) logic [sparf_pkg::FieldBits-1:0] \u_dut.field ;
  logic in_range;
  assign \u_dut.fits = age_q == 3'd4 ? fits_q : fits_i;
  assign \u_dut.field = age_q == 3'd4 ? field_q : field_i;
  `ASSUME(!accepts || fits_i || field_i != sparf_pkg::FieldNone)
  `ASSUME(!at_work_q || !fits_q || in_range)
  // A line arrives only for an accepted run.
  `ASSUME(!line_taken_i || (at_work_q && taken_q < asked))

  // Expected head and context: first the words, from the third cycle on the values derived from them.
  logic [CB-1:0] tokens, take, window, take_now, window_now;
  logic [3:0] page_log_is;
  logic head_right, context_right, derived_right;
  assign tokens = tokens_q[CB-1:0];
  assign take = take_q[CB-1:0] < tokens ? take_q[CB-1:0] : tokens;
  assign window = window_q[CB-1:0] < tokens ? window_q[CB-1:0] : tokens;
  assign take_now = age_q <= 3'd2 ? take_q[CB-1:0] : take;
  assign window_now = age_q <= 3'd2 ? window_q[CB-1:0] : window;
  always @* begin
    page_log_is = '0;
    for (int unsigned b = 0; b < 16; b++) if (page_q[b]) page_log_is = 4'(b);
    head_right = head.dense == dense && head.mean_enable == mode_q[12] && head.group == group[3:0] &&
        head.tokens == tokens && head.take == take_now && head.window == window_now &&
        head.dims == dims_q[CB-1:0] && head.scale == scale_q && head.reciprocal == reciprocal_q;
    context_right = context.dense == dense && context.tokens == tokens &&
        context.dims == dims_q[CB-1:0] && context.dim_flash == dim_flash_q[CB-1:0] &&
        context.token_flash == token_flash_q[CB-1:0] && context.head == head_q &&
        context.k_line == k_line_q && context.v_line == v_line_q && context.out_line == out_line_q &&
        context.log_dims == mode_q[9:8] && context.tag == mode_q[16+:sparf_pkg::TagBits] &&
        sum_line == sum_line_q && \u_dut.u_fields.q_line_q == q_line_q && page_log == page_log_is;
    derived_right = (age_q == 3'd2 || context.take == take) && context.dim_none == (context.dim_flash == '0) &&
        context.dim_all == (context.dim_flash == tokens) &&
        context.log_rows == sparf_pkg::LogRowsBits'(page_log_is - 4'd1 - 4'($clog2(Width))) &&
        context.log_block == page_log_is - 4'd1 - {2'd0, mode_q[9:8]};
  end

  assign in_range = (mode_q[3:0] == sparf_pkg::OpSparse || dense) && group <= 5'(MaxGroup) &&
      mode_q[15:13] == '0 && mode_q[11:10] == '0 && tokens_q[31:CB] == '0 && tokens != '0 &&
      (dense || (take_q[31:CB] == '0 && take_q != '0 && window_q[31:CB] == '0)) &&
      dims_q != '0 && dims_q <= 32'(Width) && dim_flash_q[31:CB] == '0 && token_flash_q[31:CB] == '0;

  // Cycles at work without waiting for another unit.
  logic [2:0] idle_q, idle;
  always @(posedge clk_i) begin
    if (!rst_ni || !at_work_q || through || head_valid || refuse_valid || read_valid || taken_q != asked)
      idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
  end

  // The progress that each of the loader's states implies.
  (* hierconn *) logic [3:0] \u_dut.state_q ;
  (* hierconn *) logic [sparf_pkg::FieldBits-1:0] \u_dut.field_q ;
  (* hierconn *) logic \u_dut.all_taken_q ;
  localparam logic [3:0] Idle = 4'd0, Derive = 4'd1, Check = 4'd2, Fit = 4'd3, Head = 4'd4, Refuse = 4'd5;
  localparam logic [3:0] Queries = 4'd6, Sums = 4'd7, Lines = 4'd8;
  logic [3:0] state;
  logic in_step, lines_right, holds;
  assign state = \u_dut.state_q ;
  always @* begin
    idle = state == Check ? 3'd1 : state == Fit ? 3'd2 : state == Head ? 3'd3 : state == Refuse ? 3'd4 : '0;
    in_step = at_work_q && state <= Lines && slot_reported_q == (state >= Head) && given_q == (state >= Queries) &&
        queried_q == (state >= Sums) && summed_q == (state == Lines && wants_sums) &&
        (state != Sums || wants_sums) && taken_q <= asked && idle_q <= idle &&
        age_q == (state == Derive ? 3'd1 : state == Check ? 3'd2 : state == Fit ? 3'd3 : 3'd4) &&
        (state > Fit || (32'(slot) < Slots && !used_q[slot[$clog2(Slots)-1:0]])) &&
        (state < Fit || !in_range || \u_dut.all_taken_q == (lines_left == '0)) &&
        (state != Refuse || (!fits_q && \u_dut.field_q == field_q)) && (state < Queries || fits_q) &&
        fits_q == (field_q == sparf_pkg::FieldNone);
    if (state == Idle) in_step = !at_work_q;
    if (busy != (state != Idle) || (some_free_q && used_q == '1 && state != Head)) in_step = 1'b0;
    lines_right = !at_work_q || !in_range || age_q == 3'd1 || (queries == CB'(query_lines) &&
        (age_q == 3'd2 || lines_left == CB'(left)));
    if (age_q == 3'd2 && (\u_dut.u_fields.take_fits_q != (take_q[CB-1:0] < tokens) ||
                          \u_dut.u_fields.window_fits_q != (window_q[CB-1:0] < tokens))) lines_right = !at_work_q;
    holds = in_step && lines_right && (!at_work_q || (head_right && context_right &&
        (age_q == 3'd1 || derived_right)));
  end
  `FROM_INVARIANT(holds)

  `PROVE(InStep, in_step)
  `PROVE(OneAtATime, !desc_ready || !at_work_q || through)
  `PROVE(Busy, !at_work_q || through || busy)
  `PROVE(SlotFirst, (!table_valid || (at_work_q && !slot_reported_q && !given_q && 32'(slot) < Slots &&
         !used_q[slot[$clog2(Slots)-1:0]])) && (!(head_valid || refuse_valid) || slot_reported_q))
  `PROVE(OneOutcome, (!head_valid || (at_work_q && !given_q && !refuse_valid && fits_q)) &&
         (!refuse_valid || (at_work_q && !given_q && refuse_field == field_q && !fits_q)))
  `PROVE(Head, !at_work_q || head_right)
  `PROVE(Context, !at_work_q || (context_right && (age_q == 3'd1 || derived_right)))
  `PROVE(Lines, !read_valid || (at_work_q && given_q &&
         (queried_q ? wants_sums && !summed_q && read_line == sum_line_q && 32'(read_lines) == SumLines
                    : read_line == q_line_q && 32'(read_lines) == 32'(query_lines))))
  `PROVE(EveryLine, lines_right)
  `PROVE(Ready, at_work_q || !some_free_q || desc_ready)
  `PROVE(Progress, idle_q < 3'd5)
endmodule
