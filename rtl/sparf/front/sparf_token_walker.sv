// SPDX-License-Identifier: Apache-2.0
// Rows of keys or of values in ascending order of tokens, one job per item: token-order pages for tokens below
// flash_end_i, lines of DRAM from there on.
// - All tokens of first_i .. end_i - 1 (select_i = 0): whole pages, the last one up to its last used row, then
//   runs of up to ChunkRows rows of DRAM.
// - The take_i tokens of the selection, which arrives in beats from a buffer: each page that has a selected
//   token with a mask of its rows, then single rows of DRAM.
`include "assert.svh"
module sparf_token_walker #(
  parameter int unsigned Width = 128,
  parameter bit Values = 1'b0,  // or keys
  parameter int unsigned MaxPageRows = 64,
  localparam int unsigned SelTokens = sparf_pkg::SelTokens,
  localparam int unsigned CB = sparf_pkg::CountBits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,      // the inputs below stay while busy_o
  input  logic [sparf_pkg::SlotBits-1:0] slot_i,
  input  logic                           select_i,
  input  logic                           second_i,
  input  logic [CB-1:0]                  first_i,
  input  logic [CB-1:0]                  flash_end_i,
  input  logic [CB-1:0]                  end_i,
  input  logic [CB-1:0]                  take_i,
  input  logic [sparf_pkg::LogRowsBits-1:0] log_rows_i,
  input  logic [sparf_pkg::AddrBits-1:0] dram_line_i,  // of token dram_first_i
  input  logic [CB-1:0]                  dram_first_i,
  input  logic                           sel_valid_i,
  output logic                           sel_read_o,   // sel_i follows two cycles later
  input  logic [CB-1:0]                  sel_beat_i,
  input  logic [SelTokens-1:0]           sel_mask_i,
  output logic                           busy_o,
  output logic                           item_valid_o,
  input  logic                           item_ready_i,
  output sparf_pkg::item_t               item_o
);
  localparam int unsigned RowValues = Width * sparf_pkg::ValueBits;
  localparam int unsigned LogBeats = $clog2(RowValues / sparf_pkg::BeatBits);
  localparam int unsigned LogBeatsPerLine = $clog2(sparf_pkg::BeatsPerLine);
  localparam int unsigned LogRowLines = $clog2(sparf_pkg::row_lines(Width));
  // A short row occupies a whole line of DRAM but not of the ring.
  localparam int unsigned ChunkRows = RowValues >= sparf_pkg::LineBits ? 8 : 1;
  localparam int unsigned PageRows = MaxPageRows;
  localparam int unsigned MaskBytes = (PageRows + SelTokens - 1) / SelTokens;
  localparam int unsigned LogSel = $clog2(SelTokens);
  localparam int unsigned BeatBits = CB - LogSel;

  typedef enum logic [3:0] {
    StateIdle,
    StatePlan,
    StateCount,
    StateRange,
    StateFetch,
    StateWait,
    StateBeat,
    StateSplit,
    StatePiece,
    StatePage,
    StateRow,
    StateRowItem
  } state_e;

  state_e state_q;
  logic [CB-1:0] token_q;   // next token; of a beat, the first of the remaining ones
  logic [CB-1:0] left_q;    // tokens left, or left to be selected
  logic [CB-1:0] flash_left_q;  // of them on flash
  logic [CB-1:0] count_q;   // rows of the item
  logic [CB-1:0] offset_q;  // token behind dram_first_i
  logic [CB-1:0] group_q;   // the page that is being filled
  logic [PageRows-1:0] mask_q;
  logic open_q, flash_q, last_q;
  logic all_flash_q;        // there are no rows in DRAM
  logic [3:0] added_q;      // rows of the item that count_q and left_q do not include yet
  logic [SelTokens-1:0] beat_q, piece_q, below_q;
  logic [sparf_pkg::AddrBits-1:0] line_q;  // of offset_q, which is stable for a cycle before

  // A piece: tokens of a beat in one page.
  logic [SelTokens-1:0] piece_mask, on_flash, in_dram;
  // The remaining rows are at most those of a page or a run.
  logic page_part, page_whole, chunk_part, chunk_whole;
  logic [CB-1:0] rows_q;  // of a page
  // Of token_q, which is stable for a cycle before they are used: its page, whether the page is the
  // one that is being filled (of which filled_q is a token), the byte of that page's mask.
  logic [CB-1:0] token_group_q, filled_q, group_mask_q;
  logic same_q, short_page;
  logic [MaskBytes-1:0] byte_q;
  logic [BeatBits-1:0] beat, end_beat;
  logic [2:0] beat_token, end_token;
  logic [3:0] page_rows;

  assign short_page = log_rows_i < 3'd3;
  assign page_rows = 4'd1 << log_rows_i[1:0];
  assign piece_mask = short_page ? SelTokens'((9'd1 << page_rows) - 9'd1) : '1;
  assign page_part = (flash_left_q & group_mask_q) == '0;
  assign page_whole = flash_left_q == rows_q;
  assign chunk_part = left_q[CB-1:$clog2(ChunkRows)] == '0;
  assign chunk_whole = left_q == CB'(ChunkRows);
  assign {beat, beat_token} = token_q;
  assign {end_beat, end_token} = flash_end_i;
  assign on_flash = piece_q & below_q;
  assign in_dram = piece_q & ~below_q;

  function automatic logic [3:0] ones(input logic [SelTokens-1:0] bits);
    ones = '0;
    for (int unsigned i = 0; i < SelTokens; i++) ones = ones + 4'(bits[i]);
  endfunction

  // Lines of `rows` consecutive rows.
  function automatic logic [sparf_pkg::RingBits-1:0] ring_lines(input logic [CB-1:0] rows);
    // Rows of whole lines need no rounding.
    if (LogBeats >= LogBeatsPerLine) begin
      ring_lines = sparf_pkg::RingBits'(rows << (LogBeats - LogBeatsPerLine));
    end else begin
      ring_lines = sparf_pkg::RingBits'(((rows << LogBeats) + CB'(sparf_pkg::BeatsPerLine - 1))
                                        >> LogBeatsPerLine);
    end
  endfunction

  assign busy_o = state_q != StateIdle;
  assign sel_read_o = state_q == StateFetch && sel_valid_i;
  assign item_valid_o = state_q == StateRange || state_q == StatePage || state_q == StateRowItem;

  logic [PageRows-1:0] row_mask;
  logic few;  // at most one remains
  assign few = left_q[CB-1:1] == '0;
  // For a page, count_q is at most the rows of a page; for DRAM, the mask is not used.
  assign row_mask = state_q == StateRange ? ~({PageRows{1'b1}} << count_q[$clog2(PageRows):0]) : mask_q;

  logic piece_done, merge, close, none_left;
  assign none_left = left_q == CB'(added_q);
  assign merge = on_flash != '0 && (same_q || !open_q);
  assign close = open_q && ((on_flash != '0 && !same_q) || (on_flash == '0 && in_dram != '0)
                            || (piece_q == '0 && none_left));
  assign piece_done = piece_q == '0 && !close;

  always_comb begin
    item_o = '0;
    item_o.begins = 1'b1;
    item_o.ends = 1'b1;
    item_o.kind = Values ? sparf_pkg::KindValues : sparf_pkg::KindKeys;
    item_o.index = {{(sparf_pkg::AddrBits - CB){1'b0}},
                    state_q == StateRange ? token_group_q : group_q};
    item_o.line = line_q;
    item_o.page.slot = slot_i;
    item_o.page.log_rows = log_rows_i;
    item_o.page.log_row_beats = sparf_pkg::LogBeatsBits'(LogBeats);
    item_o.page.used_beats = sparf_pkg::BeatCountBits'(1 << LogBeats);
    item_o.page.mask = sparf_pkg::PageRows'(row_mask);
    item_o.job.slot = slot_i;
    item_o.job.second = second_i;
    item_o.job.count = count_q;
    unique case (state_q)
      StateRange: begin
        item_o.flash = flash_q;
        item_o.job.last = last_q;
      end
      StatePage: begin
        item_o.flash = 1'b1;
        item_o.job.last = few && !left_q[0];
      end
      default: begin
        item_o.job.count = CB'(1);
        item_o.job.last = few && left_q[0];
      end
    endcase
    item_o.lines = ring_lines(item_o.job.count);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      unique case (state_q)
        StateIdle: if (start_i) state_q <= select_i ? StateFetch : StatePlan;
        StatePlan: state_q <= StateCount;
        StateCount: state_q <= StateRange;
        StateRange: if (item_ready_i) state_q <= last_q ? StateIdle : StatePlan;
        StateFetch: if (sel_valid_i) state_q <= StateWait;
        StateWait: state_q <= StateBeat;
        StateBeat: state_q <= StateSplit;
        StateSplit: state_q <= StatePiece;
        StatePiece: begin
          if (close) state_q <= StatePage;
          else if (on_flash == '0 && in_dram != '0) state_q <= StateRow;
          else if (piece_done) begin
            if (none_left) state_q <= StateIdle;
            else state_q <= short_page && beat_q != '0 ? StateSplit : StateFetch;
          end
        end
        StatePage: if (item_ready_i) state_q <= StatePiece;
        StateRow: begin
          if (in_dram[0]) state_q <= StateRowItem;
          else if (in_dram == '0) state_q <= StatePiece;
        end
        StateRowItem: if (item_ready_i) state_q <= StateRow;
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    rows_q <= CB'(1) << log_rows_i;
    token_group_q <= token_q >> log_rows_i;
    group_mask_q <= {CB{1'b1}} << log_rows_i;
    same_q <= ((token_q ^ filled_q) & group_mask_q) == '0;
    for (int unsigned b = 0; b < MaskBytes; b++) begin
      // A short page has but one.
      byte_q[b] <= short_page ? b == 0
                              : (token_q & ~({CB{1'b1}} << log_rows_i)) >> LogSel == CB'(b);
    end
    line_q <= dram_line_i + (sparf_pkg::AddrBits'(offset_q) << LogRowLines);
    all_flash_q <= flash_end_i == end_i;
    added_q <= '0;
    unique case (state_q)
      StateIdle: begin
        token_q <= first_i;
        left_q <= take_i;
        open_q <= 1'b0;
        mask_q <= '0;
        count_q <= '0;
      end
      StatePlan: begin
        flash_q <= token_q < flash_end_i;
        flash_left_q <= flash_end_i - token_q;
        left_q <= end_i - token_q;
        offset_q <= token_q - dram_first_i;
      end
      StateCount: begin
        count_q <= flash_q ? (page_part ? flash_left_q : rows_q) : chunk_part ? left_q : CB'(ChunkRows);
        last_q <= flash_q ? all_flash_q && (page_part || page_whole) : chunk_part || chunk_whole;
      end
      StateRange: if (item_ready_i) token_q <= token_q + count_q;
      StateBeat: begin
        beat_q <= sel_mask_i;
        token_q <= sel_beat_i << LogSel;
      end
      StateSplit: begin
        piece_q <= beat_q & piece_mask;
        beat_q <= short_page ? beat_q >> page_rows : '0;
        for (int unsigned i = 0; i < SelTokens; i++) begin
          below_q[i] <= beat < end_beat
                        || (beat == end_beat && 4'(beat_token) + 4'(i) < 4'(end_token));
        end
      end
      StatePiece: begin
        if (!close && merge) begin
          open_q <= 1'b1;
          group_q <= token_group_q;
          filled_q <= token_q;
          for (int unsigned r = 0; r < PageRows; r++) begin
            if (byte_q[r/SelTokens] && on_flash[r%SelTokens]) mask_q[r] <= 1'b1;
          end
          added_q <= ones(on_flash);
          piece_q <= in_dram;
        end
        count_q <= count_q + CB'(added_q);
        left_q <= left_q - CB'(added_q);
        offset_q <= token_q - dram_first_i;
        // Pieces of a beat: its first token is a multiple of SelTokens.
        if (piece_q == '0 && short_page) begin
          token_q[LogSel-1:0] <= beat_token + page_rows[LogSel-1:0];
        end
      end
      StatePage: begin
        if (item_ready_i) begin
          open_q <= 1'b0;
          mask_q <= '0;
          count_q <= '0;
        end
      end
      StateRow: begin
        if (!in_dram[0]) begin
          // Rows are removed from the low end; below_q is shifted with them.
          piece_q <= piece_q >> 1;
          below_q <= below_q >> 1;
          offset_q <= offset_q + 1'b1;
          token_q <= token_q;
        end
      end
      StateRowItem: begin
        if (item_ready_i) begin
          left_q <= left_q - 1'b1;
          piece_q[0] <= 1'b0;
        end
      end
      default: ;
    endcase
  end

  `IMPLIES(RowsInPage_A, busy_o, 32'(log_rows_i) <= $clog2(PageRows))
  `IMPLIES(SelectionFits_A, state_q == StatePiece && merge, left_q >= CB'(ones(on_flash)))
endmodule
