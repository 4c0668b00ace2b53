// SPDX-License-Identifier: Apache-2.0
// Transposes rows of K, one line of DRAM each, into embedding-order pages. A set is the group of pages that
// share their lines: `dims` values of each line, beginning at `first`, for `tiles` times Values tokens.
// Firmware allocates sets in the buffer and names each set by a slot. Lines arrive in the order of the sets,
// one per cycle, without a pause between two sets. A set is full (filled_valid_o) in the cycle after its last
// line. Then its pages are sent in any order, and a page may be sent several times: `dims` dimensions of the
// set beginning at `first`, in sequence, one line of Values tokens per cycle. The first line leaves four
// cycles after the page is accepted. A page that arrives before its set is full waits, and so do the pages
// behind it.
// A bank stores one value of every line: value d of token t is in bank (d + t) mod Values. So neither an
// arriving line nor a departing line of one dimension has two values in one bank.
// Word base + tile * dims + d of each bank has values of dimension d.
// A set begins when no page of its slot waits or is being read. Firmware allocates disjoint words to the
// slots.
`include "assert.svh"
module transposition_buffer #(
  parameter int unsigned Values = 32,     // of a line of 64 bytes; banks
  parameter int unsigned ValueBits = 16,
  parameter int unsigned Words = 1024,    // of a bank
  parameter int unsigned Slots = 16,
  parameter int unsigned TagBits = 16,
  localparam int unsigned LineBits = Values * ValueBits,
  localparam int unsigned DimBits = $clog2(Values),
  localparam int unsigned LogBits = $clog2(DimBits + 1),
  localparam int unsigned WordBits = $clog2(Words),
  localparam int unsigned SlotBits = $clog2(Slots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                set_valid_i,
  output logic                set_ready_o,
  input  logic [SlotBits-1:0] set_slot_i,
  input  logic [WordBits-1:0] set_base_i,      // the set's first word, a multiple of its dimensions
  input  logic [DimBits-1:0]  set_first_i,     // of its values in each line, likewise
  input  logic [LogBits-1:0]  set_log_dims_i,  // 1, 2, .. Values dimensions
  input  logic [WordBits:0]   set_tiles_i,     // at least 1
  input  logic                line_valid_i,
  output logic                line_ready_o,
  input  logic [LineBits-1:0] line_data_i,
  output logic                filled_valid_o,
  output logic [SlotBits-1:0] filled_slot_o,
  input  logic                page_valid_i,
  output logic                page_ready_o,
  input  logic [SlotBits-1:0] page_slot_i,
  input  logic [DimBits-1:0]  page_first_i,    // of the set's dimensions
  input  logic [DimBits:0]    page_dims_i,     // at least 1
  input  logic [TagBits-1:0]  page_tag_i,      // leaves with the page
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [LineBits-1:0] out_data_o,
  output logic [TagBits-1:0]  out_tag_o,
  output logic                out_last_o,      // of the page
  output logic [1:0]          events_o         // a line arrived, a line left
);
  logic filled_valid_q;
  logic [SlotBits-1:0] filled_slot_q;
  logic out_valid_q;
  logic [LineBits-1:0] out_data_q;
  logic [TagBits-1:0] out_tag_q;
  logic out_last_q;
  assign filled_valid_o = filled_valid_q;
  assign filled_slot_o = filled_slot_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_tag_o = out_tag_q;
  assign out_last_o = out_last_q;

  // Fields of the sets that pages use.
  logic [Slots-1:0] full_q;
  logic [WordBits-1:0] base_q[Slots];
  logic [LogBits-1:0] log_dims_q[Slots];
  logic [WordBits:0] tiles_q[Slots];

  // Filling: of the set's tiles, tokens of a tile and where its words begin.
  logic fill_q, fill_last_q, line_last_q, begins, taken, fill_ends;
  logic [SlotBits-1:0] fill_slot_q;
  logic [WordBits-1:0] fill_word_q;
  logic [DimBits-1:0] token_q;
  logic [DimBits-1:0] rotation_q;  // rotation of a line: its token minus the first value of the set in a line
  logic [LogBits-1:0] fill_log_q;
  logic [DimBits-1:0] fill_behind_q;  // bits of a dimension behind the set's
  logic [WordBits:0] fill_tiles_q;  // remaining

  // Transmission: remaining dimensions of the page, remaining tiles of the dimension.
  logic send_q, moves, reads, tile_last_q, dim_last_q, send_ends, page_taken;
  logic [SlotBits-1:0] send_slot_q;
  logic [TagBits-1:0] send_tag_q;
  logic [WordBits-1:0] column_q, read_word_q;  // of the dimension's first tile and of this one
  logic [DimBits-1:0] dim_q;
  logic [DimBits:0] dims_left_q;
  logic [LogBits-1:0] send_log_q;
  logic [WordBits:0] send_tiles_q, tiles_left_q;

  assign set_ready_o = (!fill_q || fill_ends) && !(send_q && send_slot_q == set_slot_i)
                       && !(page_valid_i && page_slot_i == set_slot_i);
  assign begins = set_valid_i && set_ready_o;
  assign line_ready_o = fill_q;
  assign taken = line_valid_i && fill_q;
  assign fill_ends = taken && line_last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fill_q <= 1'b0;
      filled_valid_q <= 1'b0;
      full_q <= '0;
    end else begin
      if (begins) fill_q <= 1'b1;
      else if (fill_ends) fill_q <= 1'b0;
      filled_valid_q <= fill_ends;
      if (fill_ends) full_q[fill_slot_q] <= 1'b1;
      if (begins) full_q[set_slot_i] <= 1'b0;
    end
    if (fill_ends) filled_slot_q <= fill_slot_q;
    if (begins) begin
      fill_slot_q <= set_slot_i;
      fill_word_q <= set_base_i;
      fill_log_q <= set_log_dims_i;
      fill_behind_q <= '1 << set_log_dims_i;
      fill_tiles_q <= set_tiles_i;
      fill_last_q <= set_tiles_i == (WordBits + 1)'(1);
      token_q <= '0;
      line_last_q <= 1'b0;
      rotation_q <= DimBits'(0) - set_first_i;
      base_q[set_slot_i] <= set_base_i;
      log_dims_q[set_slot_i] <= set_log_dims_i;
      tiles_q[set_slot_i] <= set_tiles_i;
    end else if (taken) begin
      token_q <= token_q + 1'b1;
      line_last_q <= fill_last_q && token_q == DimBits'(Values - 2);
      rotation_q <= rotation_q + 1'b1;
      if (token_q == '1) begin
        fill_word_q <= fill_word_q + (WordBits'(1) << fill_log_q);
        fill_tiles_q <= fill_tiles_q - 1'b1;
        fill_last_q <= fill_tiles_q == (WordBits + 1)'(2);
      end
    end
  end

  // Value first + d of the line is written to bank token + d, in the next cycle.
  logic write_q;
  logic [WordBits-1:0] write_word_q;
  logic [DimBits-1:0] write_token_q, write_behind_q;
  logic [LineBits-1:0] spread, write_data_q;
  value_rotator #(
    .Values(Values),
    .ValueBits(ValueBits)
  ) u_spread (
    .line_i(line_data_i),
    .by_i(rotation_q),
    .line_o(spread)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= 1'b0;
    else write_q <= taken;
    if (taken) begin
      write_word_q <= fill_word_q;
      write_token_q <= token_q;
      write_behind_q <= fill_behind_q;
      write_data_q <= spread;
    end
  end
  logic [Values-1:0] wr_valid;
  logic [Values*WordBits-1:0] wr_addr;
  for (genvar b = 0; b < Values; b++) begin : gen_bank
    logic [DimBits-1:0] dim;
    assign dim = DimBits'(b) - write_token_q;
    assign wr_valid[b] = write_q && (dim & write_behind_q) == '0;
    assign wr_addr[b*WordBits+:WordBits] = write_word_q | WordBits'(dim);
  end

  logic [LineBits-1:0] rd_data;
  sram_1r1w #(
    .Banks(Values),
    .Words(Words),
    .DataBits(ValueBits)
  ) u_values (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(wr_valid),
    .wr_addr_i(wr_addr),
    .wr_data_i(write_data_q),
    .rd_valid_i({Values{reads}}),
    .rd_addr_i({Values{read_word_q}}),
    .rd_data_o(rd_data)
  );

  // The next page is accepted with the last read of the previous page.
  assign send_ends = reads && tile_last_q && dim_last_q;
  assign page_ready_o = (!send_q || send_ends) && full_q[page_slot_i];
  assign page_taken = page_valid_i && page_ready_o;
  assign reads = send_q && moves;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) send_q <= 1'b0;
    else if (page_taken) send_q <= 1'b1;
    else if (send_ends) send_q <= 1'b0;
    if (page_taken) begin
      send_slot_q <= page_slot_i;
      send_tag_q <= page_tag_i;
      column_q <= base_q[page_slot_i] | WordBits'(page_first_i);
      read_word_q <= base_q[page_slot_i] | WordBits'(page_first_i);
      dim_q <= page_first_i;
      dims_left_q <= page_dims_i;
      dim_last_q <= page_dims_i == (DimBits + 1)'(1);
      send_log_q <= log_dims_q[page_slot_i];
      send_tiles_q <= tiles_q[page_slot_i];
      tiles_left_q <= tiles_q[page_slot_i];
      tile_last_q <= tiles_q[page_slot_i] == (WordBits + 1)'(1);
    end else if (reads && tile_last_q) begin
      column_q <= column_q + 1'b1;
      read_word_q <= column_q + 1'b1;
      dim_q <= dim_q + 1'b1;
      dims_left_q <= dims_left_q - 1'b1;
      dim_last_q <= dims_left_q == (DimBits + 1)'(2);
      tiles_left_q <= send_tiles_q;
      tile_last_q <= send_tiles_q == (WordBits + 1)'(1);
    end else if (reads) begin
      read_word_q <= read_word_q + (WordBits'(1) << send_log_q);
      tiles_left_q <= tiles_left_q - 1'b1;
      tile_last_q <= tiles_left_q == (WordBits + 1)'(2);
    end
  end

  // Data of the banks are registered, then rotated back: value t is that of bank t + dim.
  logic read_q, read_last_q, kept_q, kept_last_q;
  logic [TagBits-1:0] read_tag_q, kept_tag_q;
  logic [DimBits-1:0] read_dim_q, kept_rotation_q;
  logic [LineBits-1:0] kept_data_q, rotated;
  value_rotator #(
    .Values(Values),
    .ValueBits(ValueBits)
  ) u_gather (
    .line_i(kept_data_q),
    .by_i(kept_rotation_q),
    .line_o(rotated)
  );
  assign moves = !out_valid_q || out_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      kept_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else if (moves) begin
      read_q <= send_q;
      kept_q <= read_q;
      out_valid_q <= kept_q;
    end
    if (moves) begin
      read_last_q <= tile_last_q && dim_last_q;
      read_tag_q <= send_tag_q;
      read_dim_q <= dim_q;
      kept_last_q <= read_last_q;
      kept_tag_q <= read_tag_q;
      kept_rotation_q <= DimBits'(0) - read_dim_q;
      kept_data_q <= rd_data;
      out_last_q <= kept_last_q;
      out_tag_q <= kept_tag_q;
      out_data_q <= rotated;
    end
  end
  assign events_o = {out_valid_q && out_ready_i, taken};

  if (Words < Values || (Words & (Words - 1)) != 0 || Slots < 2) begin : gen_bad_size
    $error("transposition_buffer: Words must be a power of two, Values at least; Slots 2 at least");
  end

`ifdef NEARDATA_ASSERT
  logic [Slots-1:0] begun_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= '0;
    else if (begins) begun_q[set_slot_i] <= 1'b1;
  end
  logic [31:0] set_dims, page_dims;
  assign set_dims = 32'd1 << set_log_dims_i;
  assign page_dims = 32'd1 << log_dims_q[page_slot_i];
`endif
  `IMPLIES(SetInRange_A, set_valid_i,
           32'(set_log_dims_i) <= DimBits && set_tiles_i != '0 && 32'(set_slot_i) < Slots &&
          32'(set_base_i) + set_dims * 32'(set_tiles_i) <= Words)
  `IMPLIES(SetAligned_A, set_valid_i,
           (32'(set_base_i) & (set_dims - 1)) == '0 && (32'(set_first_i) & (set_dims - 1)) == '0)
  `IMPLIES(PageKnown_A, page_valid_i, 32'(page_slot_i) < Slots && begun_q[page_slot_i])
  `IMPLIES(PageInRange_A, page_taken,
           page_dims_i != '0 && 32'(page_first_i) + 32'(page_dims_i) <= page_dims)
  `STAYS(DataHold_A, out_valid_o, out_ready_i, out_data_o)
  `STAYS(MarksHold_A, out_valid_o, out_ready_i, {out_tag_o, out_last_o})
endmodule
