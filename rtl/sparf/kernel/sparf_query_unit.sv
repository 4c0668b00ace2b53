// SPDX-License-Identifier: Apache-2.0
// Prepares a head: receives its queries, chooses dimensions by the sum of |q| over the group (exact, units of
// 2^-24), and fills the tables of later units, one element per cycle: the queries in words of Lanes, the chosen
// dimensions in order, the scale of step 1 of every query,
//   scale_g = RNE(sqrt(|q_g|_1 / |q_g,chosen|_1)) * c, the ratio 1 if either sum is 0,
// and the mean values RNE(sum) * (1/S). Then the mask of dimensions leaves.
`include "assert.svh"
module sparf_query_unit #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Width / Lanes)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    head_valid_i,
  output logic                    head_ready_o,
  output logic                    busy_o,           // for clock gates
  input  logic [SlotBits-1:0]     head_slot_i,
  input  logic                    head_dense_i,
  input  logic [GroupBits-1:0]    head_group_i,
  input  logic [IndexBits:0]      head_dims_i,
  input  logic                    head_mean_i,
  input  logic [31:0]             head_scale_i,
  input  logic [31:0]             head_reciprocal_i,
  input  logic                    line_valid_i,
  output logic                    line_ready_o,
  input  logic [511:0]            line_data_i,
  output logic                    dims_valid_o,
  input  logic                    dims_ready_i,
  output logic [Width-1:0]        dims_mask_o,
  // Tables of other units, all of the slot slot_o.
  output logic [SlotBits-1:0]     slot_o,
  output logic                    word_write_o,     // Lanes elements
  output logic [GroupBits-1:0]    word_query_o,
  output logic [WordBits-1:0]     word_o,
  output logic [Lanes*16-1:0]     word_data_o,
  output logic                    chosen_write_o,   // the rank_o-th chosen dimension
  output logic [IndexBits-1:0]    chosen_rank_o,
  output logic [IndexBits-1:0]    chosen_dim_o,
  output logic                    scale_write_o,
  output logic [GroupBits-1:0]    scale_query_o,
  output logic                    mean_write_o,
  output logic [IndexBits-1:0]    mean_dim_o,
  output logic [31:0]             product_o,        // the scale or the mean
  output logic                    non_finite_o      // an element or a term was not, one cycle ago
);
  localparam int unsigned HalvesPerLine = sparf_kernel_pkg::HalvesPerLine;
  localparam int unsigned PerLine = Width < HalvesPerLine ? Width : HalvesPerLine;
  localparam int unsigned SumsPerLine = 8;
  localparam int unsigned LeftBits = $clog2(HalvesPerLine + 1);
  localparam int unsigned KeysPerRow = sparf_kernel_pkg::QueryKeysPerCycle;
  localparam int unsigned RowBits = $clog2(Width / KeysPerRow);
  localparam int unsigned KeyBits = 44;  // sparf_query_keys; whole digits of argtopk
  // |q| of 40 bits, Width of a group's rows.
  localparam int unsigned FixedBits = 40;
  localparam int unsigned SumBits = FixedBits + IndexBits;

  logic line_ready_q;
  logic [SlotBits-1:0] slot_q;
  logic word_write_q;
  logic [GroupBits-1:0] word_query_q;
  logic [WordBits-1:0] word_q;
  logic [Lanes*16-1:0] word_data_q;
  logic chosen_write_q;
  logic [IndexBits-1:0] chosen_rank_q, chosen_dim_q;
  logic non_finite_q;
  assign line_ready_o = line_ready_q;
  assign slot_o = slot_q;
  assign word_write_o = word_write_q;
  assign word_query_o = word_query_q;
  assign word_o = word_q;
  assign word_data_o = word_data_q;
  assign chosen_write_o = chosen_write_q;
  assign chosen_rank_o = chosen_rank_q;
  assign chosen_dim_o = chosen_dim_q;
  assign non_finite_o = non_finite_q;

  typedef enum logic [2:0] {
    StateIdle,
    StateRows,    // queries arrive
    StateSelect,  // dimensions are chosen
    StateScan,    // and read from the table
    StateScales,
    StateMeans,
    StateDims
  } state_e;
  state_e state_q, state_d;

  logic dense_q, mean_q;
  logic [GroupBits-1:0] group_q;
  logic [31:0] scale_q, reciprocal_q;

  // A line, an element at a time.
  logic [511:0] line_q;
  logic [LeftBits-1:0] left_q;
  logic rows, means, element, sum_element;
  logic line_taken;
  assign rows = state_q == StateRows;
  assign means = state_q == StateMeans;
  assign element = rows && left_q != '0;
  assign sum_element = means && left_q != '0;

  // The element: of an arriving row, of the scanned rows, of the sums.
  logic [GroupBits-1:0] query_q, query_d;
  logic [IndexBits-1:0] index_q, index_d;
  logic last_index, last_query, step, pass_done;
  logic all_taken_q;
  assign last_index = index_q == IndexBits'(Width - 1);
  assign last_query = query_q == group_q;
  assign step = element || state_q == StateScan || sum_element;
  assign pass_done = step && last_index && (last_query || means);
  assign line_taken = line_valid_i && line_ready_q;
  // line_ready_o is a register, because lines cross the chip: it rises in the cycle after a state begins.
  logic line_next;
  assign line_next = (rows || means) && !line_taken && left_q <= LeftBits'(1) && !pass_done && !all_taken_q;

  // Rows: magnitudes, a stage behind.
  function automatic logic [FixedBits-1:0] fixed(input logic [14:0] half);
    logic subnormal;  // counts as exponent 1
    subnormal = half[14:10] == '0;
    fixed = FixedBits'(((FixedBits + 1)'({!subnormal, half[9:0]}) <<
                        {half[14:11], half[10] | subnormal}) >> 1);
  endfunction
  logic scanning, scanning_q;
  logic [14:0] stored, stored_q;  // of the scanned element, one cycle ahead
  logic [GroupBits+IndexBits-1:0] fetch_q;  // of the next one
  logic [14:0] half;
  logic fixed_valid_q, fixed_row_q, fixed_end_q, pass_done_q0, pass_done_q1, pass_done_q2;
  logic [FixedBits-1:0] fixed_q;
  logic [IndexBits-1:0] fixed_index_q, scan_index_q;
  logic [GroupBits-1:0] fixed_query_q, scan_query_q;
  logic scan_end_q, scan_chosen_q;
  assign scanning = state_q == StateScan && !pass_done_q0 && !pass_done_q1 && !pass_done_q2;
  assign half = scanning_q ? stored_q : line_q[14:0];

  logic [SumBits-1:0] all_sum, chosen_sum;
  sparf_query_sums #(
    .FixedBits(FixedBits),
    .SumBits(SumBits),
    .MaxGroup(MaxGroup)
  ) u_sums (
    .clk_i(clk_i),
    .clear_i(state_q == StateIdle),
    .valid_i(fixed_valid_q),
    .chosen_i(!fixed_row_q),
    .query_i(fixed_query_q),
    .end_i(fixed_end_q),
    .fixed_i(fixed_q),
    .sum_query_i(query_q),
    .all_o(all_sum),
    .chosen_o(chosen_sum)
  );

  sram_1r1w #(
    .Words(MaxGroup * Width),
    .DataBits(15)
  ) u_elements (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(element),
    .wr_addr_i({query_q, index_q}),
    .wr_data_i(line_q[14:0]),
    .rd_valid_i(!rows),
    .rd_addr_i(fetch_q),
    .rd_data_o(stored)
  );

  // Selection: of the group's sums, which are read when the last sum is complete.
  logic select_start, select_ready, select_valid, select_last, keys_read;
  logic select_busy, scales_busy;
  logic [sparf_topk_pkg::FetchStages-1:0] keys_valid_q;
  logic [RowBits-1:0] keys_row, select_row;
  logic [KeysPerRow*KeyBits-1:0] keys;
  logic [KeysPerRow-1:0] select_mask;
  logic [Width-1:0] mask_q;
  logic [IndexBits:0] dims_q;
  assign select_start = pass_done_q0 && rows && !dense_q;
  assign head_ready_o = state_q == StateIdle && select_ready;
  assign busy_o = !head_ready_o || select_busy || scales_busy;
  assign dims_mask_o = mask_q;
  assign dims_valid_o = state_q == StateDims;
  sparf_query_keys #(
    .Width(Width),
    .KeysPerRow(KeysPerRow),
    .FixedBits(FixedBits),
    .MaxGroup(MaxGroup),
    .KeyBits(KeyBits)
  ) u_keys (
    .clk_i(clk_i),
    .next_i(index_q),
    .first_i(query_q == '0),
    .valid_i(fixed_valid_q && fixed_row_q),
    .index_i(fixed_index_q),
    .fixed_i(fixed_q),
    .select_i(state_q == StateSelect),
    .row_i(keys_row),
    .keys_o(keys)
  );
  sparf_argtopk #(
    .MaxKeys(Width),
    .KeyBits(KeyBits),
    .KeysPerCycle(KeysPerRow),
    .Float(0)
  ) u_select (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_valid_i(select_start),
    .start_ready_o(select_ready),
    .start_count_i((IndexBits + 1)'(Width)),
    .start_take_i(dims_q),
    .start_window_i('0),
    .read_valid_o(keys_read),
    .read_beat_o(keys_row),
    .key_valid_i(keys_valid_q[sparf_topk_pkg::FetchStages-1]),
    .key_data_i(keys),
    .sel_valid_o(select_valid),
    .sel_ready_i(1'b1),
    .sel_beat_o(select_row),
    .sel_mask_o(select_mask),
    .sel_last_o(select_last),
    .busy_o(select_busy)
  );

  logic scale_done, means_done, scale_begins;
  assign scale_query_o = query_q;
  assign scale_done = scale_write_o && last_query;
  assign scale_begins = (state_q == StateScan && pass_done_q2) || (scale_write_o && !last_query);
  sparf_query_scales #(
    .Width(Width),
    .SumBits(SumBits)
  ) u_scales (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .scales_i(state_q == StateScales),
    .means_i(means),
    .begin_i(scale_begins),
    .all_sum_i(all_sum),
    .chosen_sum_i(chosen_sum),
    .sum_valid_i(sum_element),
    .sum_i(line_q[63:0]),
    .scale_i(scale_q),
    .reciprocal_i(reciprocal_q),
    .scale_write_o(scale_write_o),
    .mean_write_o(mean_write_o),
    .mean_dim_o(mean_dim_o),
    .mean_last_o(means_done),
    .product_o(product_o),
    .busy_o(scales_busy)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateIdle: if (head_valid_i && select_ready) state_d = StateRows;
      StateRows: if (pass_done_q0) state_d = dense_q ? StateDims : StateSelect;
      StateSelect: if (select_valid && select_last) state_d = StateScan;
      // The sum is complete three stages behind the last element.
      StateScan: if (pass_done_q2) state_d = StateScales;
      StateScales: if (scale_done) state_d = mean_q ? StateMeans : StateDims;
      StateMeans: if (means_done) state_d = StateDims;
      StateDims: if (dims_ready_i) state_d = StateIdle;
      default: state_d = StateIdle;
    endcase
  end

  // The walk over elements.
  always_comb begin
    query_d = query_q;
    index_d = '0;
    if (step) index_d = index_q + 1'b1;
    else if (rows || means) index_d = index_q;
    if (state_q == StateIdle || state_q == StateSelect || pass_done_q2) query_d = '0;
    else if ((step && last_index) || scale_write_o) query_d = query_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      left_q <= '0;
      line_ready_q <= 1'b0;
      fixed_valid_q <= 1'b0;
      non_finite_q <= 1'b0;
      scanning_q <= 1'b0;
      keys_valid_q <= '0;
      {pass_done_q2, pass_done_q1, pass_done_q0} <= '0;
    end else begin
      state_q <= state_d;
      if (line_taken) left_q <= LeftBits'(means ? SumsPerLine : PerLine);
      else if (element || sum_element) left_q <= left_q - 1'b1;
      line_ready_q <= line_next;
      scanning_q <= scanning;
      fixed_valid_q <= element || scanning_q;
      non_finite_q <= (element && sparf_kernel_pkg::non_finite(line_q[14:10]))
                      || (sum_element && sparf_pkg::sum_lost(line_q[63:62]));
      keys_valid_q <= {keys_valid_q[sparf_topk_pkg::FetchStages-2:0], keys_read};
      {pass_done_q2, pass_done_q1, pass_done_q0} <=
          {pass_done_q1, pass_done_q0, pass_done && !means};
    end
  end

  always_ff @(posedge clk_i) begin
    if (head_valid_i && head_ready_o) begin
      slot_q <= head_slot_i;
      dense_q <= head_dense_i;
      group_q <= head_group_i;
      mean_q <= head_mean_i;
      scale_q <= head_scale_i;
      reciprocal_q <= head_reciprocal_i;
      dims_q <= head_dims_i;
      mask_q <= {Width{head_dense_i}};
    end else if (select_valid) begin
      for (int unsigned r = 0; r < Width / KeysPerRow; r++) begin
        if (32'(select_row) == r) mask_q[r*KeysPerRow +: KeysPerRow] <= select_mask;
      end
    end else if (scanning) begin
      mask_q <= {mask_q[0], mask_q[Width-1:1]};  // as it was after every query
    end

    if (line_taken) line_q <= line_data_i;
    else if (element) line_q <= line_q >> 16;
    else if (sum_element) line_q <= line_q >> 64;

    query_q <= query_d;
    index_q <= index_d;
    if (!rows && !means) all_taken_q <= 1'b0;
    else if (pass_done) all_taken_q <= 1'b1;
    stored_q <= stored;
    fetch_q <= state_q == StateScan || (state_q == StateSelect && select_valid && select_last)
        ? fetch_q + 1'b1 : '0;

    // Words of the query memory.
    if (element) word_data_q <= {line_q[15:0], word_data_q[Lanes*16-1:16]};
    word_query_q <= query_q;
    word_q <= WordBits'(32'(index_q) / Lanes);
    word_write_q <= element && (32'(index_q) % Lanes) == Lanes - 1;

    // Magnitudes and their sums.
    scan_index_q <= index_q;
    scan_query_q <= query_q;
    scan_end_q <= last_index;
    scan_chosen_q <= mask_q[0];
    fixed_q <= scanning_q && !scan_chosen_q ? '0 : fixed(half);
    fixed_index_q <= index_q;
    fixed_query_q <= scanning_q ? scan_query_q : query_q;
    fixed_end_q <= scanning_q ? scan_end_q : last_index;
    fixed_row_q <= element;

    // Chosen dimensions in order.
    chosen_write_q <= scanning_q && scan_query_q == '0 && scan_chosen_q;
    chosen_dim_q <= scan_index_q;
    if (state_q == StateSelect) chosen_rank_q <= '0;
    else if (chosen_write_q) chosen_rank_q <= chosen_rank_q + 1'b1;
  end

  `IMPLIES(DimsInRange_A, head_valid_i, head_dims_i != '0 && 32'(head_dims_i) <= Width)
  `IMPLIES(SelectTakes_A, select_start, select_ready)
endmodule
