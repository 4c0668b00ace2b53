// SPDX-License-Identifier: Apache-2.0
// sparf_query_unit between a loader of heads, a reader of DRAM and a front that accept after any time. The
// harness replaces the selector, the memory of elements and the arithmetic, which have separate harnesses: the
// selector returns any mask in ascending rows, the memory stores one element, sums and results are any values.
// One element of one query, which a free input picks, is followed from its line to the words, the magnitudes and
// the sums.
`include "prove.svh"
module prove_sparf_query_unit #(
  parameter int unsigned Width = 4,
  parameter int unsigned Lanes = 2,
  parameter int unsigned MaxGroup = 2,
  localparam int unsigned SlotBits = 1,
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Width / Lanes),
  localparam int unsigned Keys = sparf_kernel_pkg::QueryKeysPerCycle,
  localparam int unsigned Rows = Width / Keys,
  localparam int unsigned RowBits = $clog2(Rows),
  localparam int unsigned PlaceBits = GroupBits + IndexBits
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  head_valid_i,
  input logic [SlotBits-1:0]   head_slot_i,
  input logic                  head_dense_i,
  input logic [GroupBits-1:0]  head_group_i,
  input logic [IndexBits:0]    head_dims_i,
  input logic                  head_mean_i,
  input logic [31:0]           head_scale_i,
  input logic [31:0]           head_reciprocal_i,
  input logic                  line_valid_i,
  input logic [511:0]          line_data_i,
  input logic                  dims_ready_i,
  input logic [PlaceBits-1:0]  place_i,       // any element
  input logic [Width-1:0]      chosen_i,      // the selection of the next head
  input logic                  select_i,      // the selector offers a row
  input logic [RowBits-1:0]    select_row_i,
  input logic                  select_rests_i,
  input logic [14:0]           stored_i,
  input logic [63:0]           all_sum_i,
  input logic [63:0]           chosen_sum_i,
  input logic [31:0]           converted_i,
  input logic                  divide_done_i,
  input logic [31:0]           divided_i
);
  localparam int unsigned SumBits = 40 + IndexBits;
  localparam int unsigned PerLine = sparf_kernel_pkg::HalvesPerLine;  // of elements, and of sums
  localparam int unsigned RowLines = Width / PerLine;
  localparam int unsigned Normalise = 2;  // shorter than in the RTL, as in the list of properties
  localparam int unsigned Multiply = 2;
  localparam logic [31:0] One = 32'h3f800000;
  logic head_ready, busy, line_ready, dims_valid, word_write, chosen_write, scale_write, mean_write;
  logic [Width-1:0] dims_mask;
  logic [SlotBits-1:0] slot;
  logic [GroupBits-1:0] word_query, scale_query;
  logic [WordBits-1:0] word;
  logic [Lanes*16-1:0] word_data;
  logic [IndexBits-1:0] chosen_rank, chosen_dim, mean_dim;
  logic [31:0] product;
  logic non_finite;
  sparf_query_unit #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxGroup(MaxGroup),
    .Slots(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_valid_i(head_valid_i),
    .head_ready_o(head_ready),
    .busy_o(busy),
    .head_slot_i(head_slot_i),
    .head_dense_i(head_dense_i),
    .head_group_i(head_group_i),
    .head_dims_i(head_dims_i),
    .head_mean_i(head_mean_i),
    .head_scale_i(head_scale_i),
    .head_reciprocal_i(head_reciprocal_i),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .dims_valid_o(dims_valid),
    .dims_ready_i(dims_ready_i),
    .dims_mask_o(dims_mask),
    .slot_o(slot),
    .word_write_o(word_write),
    .word_query_o(word_query),
    .word_o(word),
    .word_data_o(word_data),
    .chosen_write_o(chosen_write),
    .chosen_rank_o(chosen_rank),
    .chosen_dim_o(chosen_dim),
    .scale_write_o(scale_write),
    .scale_query_o(scale_query),
    .mean_write_o(mean_write),
    .mean_dim_o(mean_dim),
    .product_o(product),
    .non_finite_o(non_finite)
  );
  `ASSUME(!head_valid_i || (head_dims_i != '0 && 32'(head_dims_i) <= Width))

  // Yosys joins these to the registers and wires of the same names.
  (* hierconn *) logic [2:0] \u_dut.state_q ;
  (* hierconn *) logic [1:0] \u_dut.u_scales.scale_state_q ;
  (* hierconn *) logic [GroupBits-1:0] \u_dut.query_q , \u_dut.group_q , \u_dut.scan_query_q , \u_dut.fixed_query_q ;
  (* hierconn *) logic [IndexBits-1:0] \u_dut.index_q , \u_dut.scan_index_q , \u_dut.fixed_index_q ;
  (* hierconn *) logic [$clog2(PerLine+1)-1:0] \u_dut.left_q ;
  (* hierconn *) logic [511:0] \u_dut.line_q ;
  (* hierconn *) logic \u_dut.dense_q , \u_dut.mean_q , \u_dut.all_taken_q , \u_dut.u_scales.mean_last_q ;
  (* hierconn *) logic [31:0] \u_dut.scale_q , \u_dut.reciprocal_q , \u_dut.u_scales.numerator_q ;
  (* hierconn *) logic [IndexBits:0] \u_dut.dims_q ;
  (* hierconn *) logic [Width-1:0] \u_dut.mask_q ;
  (* hierconn *) logic \u_dut.pass_done_q0 , \u_dut.pass_done_q1 , \u_dut.pass_done_q2 ;
  (* hierconn *) logic \u_dut.scanning_q , \u_dut.scan_end_q , \u_dut.scan_chosen_q ;
  (* hierconn *) logic \u_dut.fixed_valid_q , \u_dut.fixed_row_q , \u_dut.fixed_end_q ;
  (* hierconn *) logic [39:0] \u_dut.fixed_q ;
  (* hierconn *) logic [14:0] \u_dut.stored_q ;
  (* hierconn *) logic [PlaceBits-1:0] \u_dut.fetch_q ;
  (* hierconn *) logic \u_dut.u_scales.convert_first_q , \u_dut.u_scales.convert_second_q , \u_dut.u_scales.convert_q ;
  (* hierconn *) logic [63:0] \u_dut.u_scales.convert_sum_q ;
  (* hierconn *) logic [Normalise-1:0] \u_dut.u_scales.convert_valid_q ;
  (* hierconn *) logic [Multiply-1:0] \u_dut.u_scales.multiply_valid_q ;
  (* hierconn *) logic \u_dut.u_select.start_valid_i ;
  (* hierconn *) logic [IndexBits:0] \u_dut.u_select.start_count_i , \u_dut.u_select.start_take_i ;
  (* hierconn *) logic \u_dut.u_elements.wr_valid_i , \u_dut.u_elements.rd_valid_i ;
  (* hierconn *) logic [PlaceBits-1:0] \u_dut.u_elements.wr_addr_i , \u_dut.u_elements.rd_addr_i ;
  (* hierconn *) logic [14:0] \u_dut.u_elements.wr_data_i ;
  (* hierconn *) logic \u_dut.u_scales.u_scalar.start_i , \u_dut.u_scales.u_scalar.root_i ;
  (* hierconn *) logic [31:0] \u_dut.u_scales.u_scalar.a_i , \u_dut.u_scales.u_scalar.b_i ;
  (* hierconn *) logic [31:0] \u_dut.u_scales.u_multiply.a_i , \u_dut.u_scales.u_multiply.b_i ;
  (* hierconn *) logic [GroupBits-1:0] \u_dut.u_sums.sum_query_i ;
  localparam logic [2:0] Idle = 3'd0, InRows = 3'd1, Select = 3'd2, Scan = 3'd3, Scales = 3'd4, Means = 3'd5;
  localparam logic [2:0] Dims = 3'd6;
  localparam logic [1:0] Sums = 2'd0, Quotient = 2'd1, Root = 2'd2, Product = 2'd3;
  logic [2:0] state;
  logic [1:0] scale_state;
  logic [5:0] left, total;
  assign state = \u_dut.state_q ;
  assign scale_state = \u_dut.u_scales.scale_state_q ;
  assign left = 6'(\u_dut.left_q );

  // The accepted head.
  logic accepts, ends, takes, at_work_q, dense_q, mean_q, means_wanted;
  logic [SlotBits-1:0] slot_q;
  logic [GroupBits-1:0] group;
  logic [GroupBits:0] queries_q;
  logic [IndexBits:0] dims_q;
  logic [31:0] scale_q, reciprocal_q;
  logic [Width-1:0] chosen_q;
  assign accepts = head_valid_i && head_ready;
  assign ends = dims_valid && dims_ready_i;
  assign takes = line_valid_i && line_ready;
  assign group = GroupBits'(queries_q - 1'b1);
  assign means_wanted = mean_q && !dense_q;
  assign total = 6'(Width) * (6'(queries_q));

  // The watched element: its value, after its line has arrived, and the sum of its dimension.
  logic [PlaceBits-1:0] place_q;
  logic [IndexBits-1:0] dim;
  logic [15:0] element_q;
  logic [63:0] sum_q;
  assign dim = place_q[IndexBits-1:0];

  // Counts of this head: lines, elements that left the line's register, words, magnitudes, results.
  logic [5:0] row_lines_q, sum_lines_q, words_q, magnitudes_q, scanned_q, scales_q, means_q;
  logic [5:0] elements, sums, scans, all_lines;
  assign all_lines = 6'(RowLines) * (6'(queries_q));
  logic [Width-1:0] written_q;  // chosen dimensions that the tables have
  logic element_q1, sum_q1;     // one left the register in the previous cycle
  logic reset_q;                // the cycle before was a reset; results in flight may still be written
  assign elements = row_lines_q * 6'(PerLine) - (state == InRows ? left : '0);
  assign sums = sum_lines_q * 6'(PerLine) - (state == Means ? left : '0);
  assign scans = \u_dut.pass_done_q0 || \u_dut.pass_done_q1 || \u_dut.pass_done_q2
      ? total : 6'(\u_dut.query_q ) * 6'(Width) + 6'(\u_dut.index_q );
  logic row_magnitude, scan_magnitude;
  assign row_magnitude = \u_dut.fixed_valid_q && \u_dut.fixed_row_q ;
  assign scan_magnitude = \u_dut.fixed_valid_q && !\u_dut.fixed_row_q ;
  always @(posedge clk_i) begin
    if (!rst_ni) place_q <= place_i;
    if (!rst_ni) at_work_q <= 1'b0;
    else if (accepts) at_work_q <= 1'b1;
    else if (ends) at_work_q <= 1'b0;
    reset_q <= !rst_ni;
    element_q1 <= rst_ni && state == InRows && left != '0;
    sum_q1 <= rst_ni && state == Means && left != '0;
    if (accepts) begin
      slot_q <= head_slot_i;
      dense_q <= head_dense_i;
      queries_q <= (GroupBits + 1)'(head_group_i) + 1'b1;
      dims_q <= head_dims_i;
      mean_q <= head_mean_i;
      scale_q <= head_scale_i;
      reciprocal_q <= head_reciprocal_i;
      chosen_q <= head_dense_i ? '1 : chosen_i;
      {row_lines_q, sum_lines_q, words_q, magnitudes_q, scanned_q, scales_q, means_q} <= '0;
      written_q <= '0;
    end else begin
      if (takes && state == InRows) begin
        row_lines_q <= row_lines_q + 1'b1;
        if (row_lines_q == 6'(place_q) / 6'(PerLine))
          element_q <= line_data_i[16*(32'(dim)%PerLine)+:16];
      end
      if (takes && state != InRows) begin
        sum_lines_q <= sum_lines_q + 1'b1;
        if (sum_lines_q == 6'(dim) / 6'(PerLine)) sum_q <= line_data_i[64*(32'(dim)%PerLine)+:64];
      end
      if (word_write) words_q <= words_q + 1'b1;
      if (row_magnitude) magnitudes_q <= magnitudes_q + 1'b1;
      if (scan_magnitude) scanned_q <= scanned_q + 1'b1;
      if (scale_write) scales_q <= scales_q + 1'b1;
      if (mean_write) means_q <= means_q + 1'b1;
      if (chosen_write) written_q[chosen_dim] <= 1'b1;
    end
  end

  // The selector: rows in ascending order, without the rows that have no selection, except the last one; no row in the
  // first two cycles after the start (its passes take longer).
  (* hierconn *) logic \u_dut.select_ready , \u_dut.select_valid , \u_dut.select_last ;
  (* hierconn *) logic [RowBits-1:0] \u_dut.select_row ;
  (* hierconn *) logic [Keys-1:0] \u_dut.select_mask ;
  logic selecting_q, select_rests_q, skips;
  logic [RowBits:0] next_row_q;
  logic [1:0] started_q;  // a selection began a cycle ago, two cycles ago
  logic [Width-1:0] given;  // in rows that have left
  always @* begin
    skips = 1'b0;
    given = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (i / Keys < 32'(next_row_q)) given[i] = chosen_q[i];
      if (i / Keys >= 32'(next_row_q) && i / Keys < 32'(select_row_i) && chosen_q[i]) skips = 1'b1;
    end
  end
  assign \u_dut.select_ready = !selecting_q && !select_rests_q;
  assign \u_dut.select_valid = selecting_q && select_i;
  assign \u_dut.select_row = select_row_i;
  assign \u_dut.select_mask = chosen_q[Keys*32'(select_row_i)+:Keys];
  assign \u_dut.select_last = 32'(select_row_i) == Rows - 1;
  `ASSUME(!select_i || started_q == '0)
  `ASSUME(!select_i || (32'(select_row_i) >= 32'(next_row_q) && !skips))
  always @(posedge clk_i) begin
    started_q <= rst_ni ? {started_q[0], \u_dut.u_select.start_valid_i } : '0;
    if (!rst_ni) {selecting_q, select_rests_q} <= '0;
    else if (\u_dut.u_select.start_valid_i ) selecting_q <= 1'b1;
    else if (\u_dut.select_valid && \u_dut.select_last ) {selecting_q, select_rests_q} <= 2'b01;
    else if (select_rests_i) select_rests_q <= 1'b0;
    if (\u_dut.u_select.start_valid_i ) next_row_q <= '0;
    else if (\u_dut.select_valid ) next_row_q <= (RowBits + 1)'(select_row_i) + 1'b1;
  end

  // The memory of elements: that of the element, and anything in all others.
  (* hierconn *) logic [14:0] \u_dut.stored ;
  logic [14:0] kept_q;
  logic reads_q;
  assign \u_dut.stored = reads_q ? kept_q : stored_i;
  always @(posedge clk_i) begin
    if (\u_dut.u_elements.wr_valid_i && \u_dut.u_elements.wr_addr_i == place_q)
      kept_q <= \u_dut.u_elements.wr_data_i ;
    reads_q <= \u_dut.u_elements.rd_valid_i && \u_dut.u_elements.rd_addr_i == place_q;
  end

  // Arithmetic: any results; a quotient or root arrives after any time.
  (* hierconn *) logic [SumBits-1:0] \u_dut.all_sum , \u_dut.chosen_sum ;
  (* hierconn *) logic [31:0] \u_dut.u_scales.converted , \u_dut.u_scales.divided ;
  (* hierconn *) logic \u_dut.u_scales.divide_done ;
  logic dividing_q, starts;
  logic [63:0] all_q, chosen_sum_q;
  logic [31:0] numerator_q;
  logic [2:0] since_q;  // cycles since the last magnitude of the scan
  assign \u_dut.all_sum = all_sum_i[SumBits-1:0];
  assign \u_dut.chosen_sum = chosen_sum_i[SumBits-1:0];
  assign \u_dut.u_scales.converted = converted_i;
  assign \u_dut.u_scales.divided = divided_i;
  assign \u_dut.u_scales.divide_done = dividing_q && divide_done_i;
  assign starts = \u_dut.u_scales.u_scalar.start_i ;
  always @(posedge clk_i) begin
    if (!rst_ni) dividing_q <= 1'b0;
    else if (starts) dividing_q <= 1'b1;
    else if (\u_dut.u_scales.divide_done ) dividing_q <= 1'b0;
    if (\u_dut.u_scales.convert_first_q ) all_q <= 64'(\u_dut.all_sum );
    if (\u_dut.u_scales.convert_second_q ) chosen_sum_q <= 64'(\u_dut.chosen_sum );
    if (\u_dut.u_scales.convert_valid_q == '1) numerator_q <= converted_i;
    if (scan_magnitude) since_q <= 3'd1;
    else if (since_q != '1) since_q <= since_q + 1'b1;
  end

  // FP16 without its sign in units of 2^-24.
  function automatic logic [39:0] magnitude(input logic [14:0] half);
    magnitude = half[14:10] == '0 ? {30'd0, half[9:0]} : {29'd0, 1'b1, half[9:0]} << (half[14:10] - 5'd1);
  endfunction
  function automatic logic [5:0] ones(input logic [Width-1:0] mask);
    ones = '0;
    for (int unsigned i = 0; i < Width; i++) if (mask[i]) ones = ones + 1'b1;
  endfunction

  // The invariant of each of the unit's states.
  logic head_right, walk_right, line_right, words_right, magnitudes_right, scan_right, chosen_right;
  logic mask_right, scales_right, means_right, select_right, special_right, in_step;
  logic [5:0] last, in_stages, scan_place;
  logic [3:0] phase;
  logic [5:0] idle_q, idle;
  logic empty, waits;
  always @* begin
    head_right = slot == slot_q && \u_dut.dense_q == dense_q && \u_dut.group_q == group &&
        \u_dut.mean_q == mean_q && \u_dut.scale_q == scale_q && \u_dut.reciprocal_q == reciprocal_q &&
        \u_dut.dims_q == dims_q && queries_q != '0 && 32'(queries_q) <= MaxGroup && (!dense_q || chosen_q == '1);

    // The walk over lines and elements.
    case (state)
      InRows: walk_right = left <= 6'(PerLine) && row_lines_q <= all_lines &&
          left <= row_lines_q * 6'(PerLine) && sum_lines_q == '0 &&
          \u_dut.all_taken_q == (elements == total) && \u_dut.pass_done_q0 == \u_dut.all_taken_q &&
          !\u_dut.pass_done_q1 && !\u_dut.pass_done_q2 &&
          {\u_dut.query_q , \u_dut.index_q } == PlaceBits'(elements) && elements <= total &&
          (!line_ready || (left == '0 && !\u_dut.all_taken_q ));
      Means: walk_right = left <= 6'(PerLine) && sum_lines_q <= 6'(RowLines) &&
          left <= sum_lines_q * 6'(PerLine) && row_lines_q == all_lines &&
          \u_dut.all_taken_q == (sums == 6'(Width)) && sums <= 6'(Width) &&
          \u_dut.index_q == IndexBits'(sums) && (!line_ready || (left == '0 && !\u_dut.all_taken_q ));
      Idle: walk_right = left == '0 && !line_ready;
      default: walk_right = left == '0 && !line_ready && row_lines_q == all_lines &&
          sum_lines_q == (state == Dims && means_wanted ? 6'(RowLines) : '0);
    endcase
    case (state)
      Scan: if (!\u_dut.pass_done_q0 && !\u_dut.pass_done_q1 && !\u_dut.pass_done_q2 )
        walk_right = walk_right && scans < total;
      else walk_right = walk_right && \u_dut.index_q ==
          (\u_dut.pass_done_q0 ? IndexBits'(0) : \u_dut.pass_done_q1 ? IndexBits'(1) : IndexBits'(2)) &&
          \u_dut.query_q == group + 1'b1 &&
          (\u_dut.pass_done_q0 ? !\u_dut.pass_done_q1 && !\u_dut.pass_done_q2
                               : !\u_dut.pass_done_q1 || !\u_dut.pass_done_q2 );
      Select: walk_right = walk_right && !\u_dut.pass_done_q0 && \u_dut.index_q == '0 && !dense_q;
      Scales: walk_right = walk_right && !\u_dut.pass_done_q0 && !\u_dut.pass_done_q1 && !\u_dut.pass_done_q2 &&
          !\u_dut.all_taken_q && !dense_q;
      Means: walk_right = walk_right && !\u_dut.pass_done_q0 && !\u_dut.pass_done_q1 && !\u_dut.pass_done_q2 &&
          means_wanted;
      default: ;
    endcase
    if (state == Scan && (dense_q || (\u_dut.pass_done_q2 && chosen_write))) walk_right = 1'b0;
    if (state == Dims || state == Idle) walk_right = walk_right && !\u_dut.pass_done_q0 ;
    if (state == Idle) walk_right = walk_right && !\u_dut.pass_done_q1 ;

    // The element in the line's register, and in the words.
    line_right = 1'b1;
    if (state == InRows && left != '0 && (row_lines_q - 1'b1) == 6'(place_q) / 6'(PerLine) &&
        6'(dim) % 6'(PerLine) >= 6'(PerLine) - left)
      line_right = \u_dut.line_q [16*(32'(dim)%PerLine+32'(left)-PerLine)+:16] == element_q;
    if (state == Means && left != '0 && (sum_lines_q - 1'b1) == 6'(dim) / 6'(PerLine) &&
        6'(dim) % 6'(PerLine) >= 6'(PerLine) - left)
      line_right = line_right && \u_dut.line_q [64*(32'(dim)%PerLine+32'(left)-PerLine)+:64] == sum_q;
    if (elements > 6'(place_q)) line_right = line_right && kept_q == element_q[14:0];
    last = elements - 1'b1;
    words_right = words_q + 6'(word_write) == elements / 6'(Lanes) &&
        (!word_write || (state == InRows && {word_query, word} == (GroupBits + WordBits)'(words_q)));
    if (state == InRows) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (elements > 6'(l) && 6'(place_q) == last - 6'(l) && word_data[16*(Lanes-1-l)+:16] != element_q)
          words_right = 1'b0;
      end
    end

    // Magnitudes of the rows, and of the elements that are scanned.
    magnitudes_right = magnitudes_q + 6'(row_magnitude) == elements &&
        (!row_magnitude || (state == InRows && {\u_dut.fixed_query_q , \u_dut.fixed_index_q } ==
             PlaceBits'(magnitudes_q) && \u_dut.fixed_end_q == (\u_dut.fixed_index_q == '1) &&
             (PlaceBits'(magnitudes_q) != place_q || \u_dut.fixed_q == magnitude(element_q[14:0]))));
    scan_place = scans - 1'b1;
    scan_right = 1'b1;
    if (state == Scan) begin
      scan_right = scanned_q + 6'(scan_magnitude) + 6'(\u_dut.scanning_q ) == scans &&
          (scans == total || (\u_dut.fetch_q == PlaceBits'(scans + 1'b1) &&
              reads_q == (PlaceBits'(scans) == place_q))) &&
          (!\u_dut.scanning_q || (scans != '0 &&
              {\u_dut.scan_query_q , \u_dut.scan_index_q } == PlaceBits'(scan_place) &&
              \u_dut.scan_end_q == (\u_dut.scan_index_q == '1) &&
              \u_dut.scan_chosen_q == chosen_q[\u_dut.scan_index_q ] &&
              (PlaceBits'(scan_place) != place_q || \u_dut.stored_q == element_q[14:0])));
      if (scans == total) scan_right = scan_right && \u_dut.scanning_q == \u_dut.pass_done_q0 &&
          (\u_dut.pass_done_q2 ? !scan_magnitude : scan_magnitude) && (!\u_dut.pass_done_q2 || since_q == 3'd1);
      if (scans == '0) scan_right = scan_right && !scan_magnitude && !\u_dut.scanning_q ;
      else if (scans < total) scan_right = scan_right && \u_dut.scanning_q ;
    end else begin
      scan_right = scanned_q == (!dense_q && (state == Scales || state == Means || state == Dims) ? total : '0) &&
          !scan_magnitude && !\u_dut.scanning_q ;
    end
    if (scan_magnitude) begin
      scan_right = scan_right && \u_dut.fixed_query_q == GroupBits'(scanned_q >> IndexBits) &&
          \u_dut.fixed_end_q == (scanned_q[IndexBits-1:0] == '1) && (PlaceBits'(scanned_q) != place_q ||
          \u_dut.fixed_q == (chosen_q[dim] ? magnitude(element_q[14:0]) : '0));
    end

    // The mask, which a scan rotates, and the chosen dimensions.
    mask_right = dims_mask == chosen_q;
    if (state == InRows) mask_right = dims_mask == {Width{dense_q}};
    if (state == Select) mask_right = dims_mask == given;
    if (state == Scan && scans < total)
      mask_right = dims_mask == Width'({chosen_q, chosen_q} >> \u_dut.index_q );
    chosen_right = chosen_rank == IndexBits'(ones(written_q));
    if (chosen_write) begin
      chosen_right = chosen_right && state == Scan && chosen_q[chosen_dim] &&
          written_q == (chosen_q & ~({Width{1'b1}} << chosen_dim));
    end
    if (state == Scan) begin
      chosen_right = chosen_right &&
          (written_q | (chosen_write ? Width'(1) << chosen_dim : '0)) ==
          (chosen_q & ~({Width{1'b1}} << (scans - 6'(\u_dut.scanning_q ))));
    end else if (state == InRows || dense_q) begin
      chosen_right = written_q == '0 && !chosen_write;
    end else if (state == Select) begin
      chosen_right = written_q == '0 && !chosen_write && (chosen_rank == '0 || \u_dut.pass_done_q1 );
    end else begin
      chosen_right = chosen_right && written_q == chosen_q && !chosen_write;
    end

    // Results in flight: scales of queries in sequence, means in a pipeline.
    empty = !\u_dut.u_scales.convert_first_q && !\u_dut.u_scales.convert_second_q && !\u_dut.u_scales.convert_q &&
        \u_dut.u_scales.convert_valid_q == '0 && \u_dut.u_scales.multiply_valid_q == '0 && !dividing_q;
    phase = '1;
    case ({\u_dut.u_scales.convert_first_q , \u_dut.u_scales.convert_second_q , \u_dut.u_scales.convert_q , \u_dut.u_scales.convert_valid_q ,
           scale_state, \u_dut.u_scales.multiply_valid_q , dividing_q})
      {5'b10000, Sums, 3'b000}: phase = 4'd0;
      {5'b01100, Sums, 3'b000}: if (\u_dut.u_scales.convert_sum_q == all_q) phase = 4'd1;
      {5'b00101, Sums, 3'b000}: if (\u_dut.u_scales.convert_sum_q == chosen_sum_q) phase = 4'd2;
      {5'b00011, Sums, 3'b000}: phase = 4'd3;
      {5'b00010, Sums, 3'b000}: if (\u_dut.u_scales.numerator_q == numerator_q) phase = 4'd4;
      {5'b00000, Quotient, 3'b001}: phase = 4'd5;
      {5'b00000, Root, 3'b001}: phase = 4'd6;
      {5'b00000, Product, 3'b010}: phase = 4'd7;
      {5'b00000, Product, 3'b100}: phase = 4'd8;
      default: ;
    endcase
    in_stages = 6'(\u_dut.u_scales.convert_q );
    for (int unsigned i = 0; i < Normalise; i++) in_stages = in_stages + 6'(\u_dut.u_scales.convert_valid_q [i]);
    for (int unsigned i = 0; i < Multiply; i++) in_stages = in_stages + 6'(\u_dut.u_scales.multiply_valid_q [i]);
    scales_right = scales_q == (!dense_q && (state == Means || state == Dims) ? 6'(queries_q) : '0);
    means_right = means_q == (state == Dims && means_wanted ? 6'(Width) : '0);
    case (state)
      Idle: begin
        scales_right = empty;
        means_right = 1'b1;
      end
      Scales: scales_right = phase != '1 && scales_q == 6'(\u_dut.query_q ) && scales_q <= 6'(group) &&
          (phase != '0 || since_q >= 3'd2);
      Means: begin
        means_right = !\u_dut.u_scales.convert_first_q && !\u_dut.u_scales.convert_second_q && !dividing_q &&
            means_q + in_stages == sums && means_q < 6'(Width) && mean_dim == means_q[IndexBits-1:0] &&
            \u_dut.u_scales.mean_last_q == (means_q == 6'(Width - 1)) && \u_dut.u_scales.convert_q == sum_q1 &&
            (!\u_dut.u_scales.convert_q || 6'(dim) != sums - 1'b1 || \u_dut.u_scales.convert_sum_q == sum_q);
        scales_right = scales_right && scale_state == Sums;
      end
      InRows, Select, Scan: scales_right = scales_right && empty && scale_state == Sums;
      default: scales_right = scales_right && empty;
    endcase
    if (state == Scales) means_right = means_right && mean_dim == '0 && !\u_dut.u_scales.mean_last_q ;
    if (state == Scales && phase > 4'd0 && since_q < 3'd3) scales_right = 1'b0;

    // The selector is at work in one state, and rests as long as it likes.
    select_right = selecting_q == (state == Select) && started_q == (state == Select
        ? {\u_dut.pass_done_q2 , \u_dut.pass_done_q1 } : 2'd0) && (!selecting_q || !select_rests_q) &&
        (!select_rests_q || !(state == InRows || state == Select)) &&
        (!selecting_q || next_row_q < (RowBits + 1)'(Rows));
    if (state == Select) select_right = select_right && \u_dut.fetch_q == '0 && (\u_dut.query_q == '0 ||
        \u_dut.pass_done_q1 );
    if (state == Select && !\u_dut.pass_done_q1 ) select_right = select_right && reads_q == (place_q == '0);
    if (state == Scan && scans == '0) select_right = select_right && \u_dut.query_q == '0;

    special_right = element_q1 || sum_q1 || !non_finite;
    if (element_q1 && 6'(place_q) == last) special_right = non_finite == (element_q[14:10] == '1);
    if (sum_q1 && 6'(dim) == sums - 1'b1) special_right = non_finite == (sum_q[63] != sum_q[62]);

    in_step = at_work_q && state <= Dims && head_right && walk_right && select_right && line_right && mask_right;
    if (state == Idle) in_step = !at_work_q && walk_right && scales_right && select_right &&
        !\u_dut.fixed_valid_q && !\u_dut.scanning_q && (reset_q || (!word_write && !chosen_write));
    if (element_q1 && (state != InRows || elements == '0)) in_step = 1'b0;
    if (sum_q1 && (state != Means || sums == '0)) in_step = 1'b0;
  end

  // Cycles at work without waiting for another unit, a selector or a divider.
  assign waits = line_ready || state == Select || dividing_q || dims_valid;
  always @(posedge clk_i) begin
    if (!rst_ni || !at_work_q || waits) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
  end
  localparam int unsigned Longest = MaxGroup * Width + 3 + 5;
  logic [5:0] youngest;  // stages behind it of the latest mean
  always @* begin
    youngest = 6'(Normalise + Multiply);
    for (int unsigned i = Multiply; i > 0; i--) if (\u_dut.u_scales.multiply_valid_q [i-1]) youngest = 6'(Normalise + i);
    for (int unsigned i = Normalise; i > 0; i--) if (\u_dut.u_scales.convert_valid_q [i-1]) youngest = 6'(i);
    if (\u_dut.u_scales.convert_q ) youngest = '0;
    idle = 6'(Longest);
    if (state == InRows || state == Means) begin
      idle = left == '0 && !line_ready && !\u_dut.all_taken_q ? 6'd4 : left != '0 ? 6'(PerLine) - left : 6'd6;
      if (\u_dut.all_taken_q ) idle = 6'(PerLine) + (state == Means ? youngest : 6'd0);
    end
    if (state == Scan) idle = scans + (\u_dut.pass_done_q1 ? 6'd1 : \u_dut.pass_done_q2 ? 6'd2 : 6'd0);
    if (state == Scales) idle = phase < 4'd5 ? 6'(MaxGroup * Width + 3) + 6'(phase) :
                                phase == 4'd7 ? 6'd0 : phase == 4'd8 ? 6'd1 : 6'(Longest);
  end

  logic holds;
  assign holds = in_step && (state == Idle || (words_right && magnitudes_right && scan_right && chosen_right &&
      scales_right && means_right && special_right && idle_q <= idle)) && (state != Idle || !non_finite);
  `FROM_INVARIANT(holds)

  `PROVE(InStep, in_step)
  `PROVE(Ready, head_ready == (!at_work_q && \u_dut.select_ready ) && (busy || head_ready))
  `PROVE(Lines, (!line_ready || (at_work_q && (row_lines_q < all_lines ||
         (means_wanted && scales_q == 6'(queries_q) && sum_lines_q < 6'(RowLines))))) &&
         (!dims_valid || (elements == total && sums == (means_wanted ? 6'(Width) : '0))))
  `PROVE(Words, state == Idle || (words_right && (!dims_valid || words_q * 6'(Lanes) == total)))
  `PROVE(WordData, !word_write || state == Idle || (slot == slot_q && (6'(place_q) / 6'(Lanes) != words_q ||
         word_data[16*(32'(place_q)%Lanes)+:16] == element_q)))
  `PROVE(Magnitudes, state == Idle || magnitudes_right)
  `PROVE(Selection, !\u_dut.u_select.start_valid_i || (!dense_q && \u_dut.select_ready && elements == total &&
         32'(\u_dut.u_select.start_count_i ) == Width && \u_dut.u_select.start_take_i == dims_q))
  `PROVE(Scanned, state == Idle || scan_right)
  `PROVE(Chosen, state == Idle || (chosen_right && (!dims_valid || dense_q || written_q == chosen_q)))
  `PROVE(Ratio, (!starts || (state == Scales && \u_dut.u_scales.u_scalar.root_i == (scale_state == Quotient))) &&
         (!starts || scale_state == Quotient || (numerator_q == '0 || converted_i == '0
           ? \u_dut.u_scales.u_scalar.a_i == One && \u_dut.u_scales.u_scalar.b_i == One
           : \u_dut.u_scales.u_scalar.a_i == numerator_q && \u_dut.u_scales.u_scalar.b_i == converted_i)) &&
         (!starts || scale_state != Quotient || \u_dut.u_scales.u_scalar.a_i == divided_i))
  `PROVE(SumsRead, !(\u_dut.u_scales.convert_first_q || \u_dut.u_scales.convert_second_q ) || (state == Scales &&
         6'(\u_dut.u_sums.sum_query_i ) == scales_q && (!\u_dut.u_scales.convert_second_q || since_q >= 3'd3)))
  `PROVE(Scales, state == Idle || (scales_right && (!scale_write || 6'(scale_query) == scales_q) &&
         (!dims_valid || dense_q || scales_q == 6'(queries_q))))
  `PROVE(ScaleProduct, !(state == Scales && \u_dut.u_scales.divide_done && scale_state == Root) ||
         (\u_dut.u_scales.u_multiply.a_i == divided_i && \u_dut.u_scales.u_multiply.b_i == scale_q))
  `PROVE(Means, state == Idle || (means_right && (!mean_write || 6'(mean_dim) == means_q) &&
         (!dims_valid || means_q == (means_wanted ? 6'(Width) : '0))))
  `PROVE(MeanProduct, !(state == Means && \u_dut.u_scales.convert_valid_q [Normalise-1]) ||
         (\u_dut.u_scales.u_multiply.a_i == converted_i && \u_dut.u_scales.u_multiply.b_i == reciprocal_q))
  `PROVE(Mask, !dims_valid || (at_work_q && dims_mask == chosen_q && slot == slot_q))
  `PROVE(NonFinite, state == Idle ? !non_finite : special_right)
  `PROVE(Progress, state == Idle || idle_q <= idle)
endmodule
