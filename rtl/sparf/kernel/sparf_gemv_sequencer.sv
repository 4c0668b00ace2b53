// SPDX-License-Identifier: Apache-2.0
// Walks over the key jobs and selects the operands of each beat of the GeMV unit: Lanes keys, and the query's
// elements for them. A tile is the set of beats that ends in logits: of a column job Lanes tokens, one chosen
// dimension per beat; of a row job one token, Lanes dimensions per beat. The queries of a group follow each
// other at every tile, QuerySets of them in parallel: query q is processed by set q mod QuerySets in round q /
// QuerySets. A set without a query in the last round computes an unused beat.
//
// After its last beat the products of a tile of n beats and m logits are walked over a second time, and then
// its logits leave one after the other. So if that beat is decided in cycle e, the next tile's (n', e')
// satisfies e' >= e + n and e' + n' >= e + n + m. One other condition delays a tile whose job has arrived: a
// head's first job of a step waits for space for its logits (fill_*), at least two cycles after it is accepted.
// Beats leave five cycles after their decision.
`include "assert.svh"
module sparf_gemv_sequencer #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned QuerySets = 1,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RingBits = $clog2(RingLines),
  localparam int unsigned LiveBits = $clog2(Lanes) + 1,
  localparam int unsigned Words = Width / Lanes,
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Words)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Tables of the heads.
  input  logic                 head_write_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SlotBits-1:0]  prepared_slot_i,
  input  logic                 word_write_i,
  input  logic [GroupBits-1:0] word_query_i,
  input  logic [WordBits-1:0]  word_i,
  input  logic [Lanes*16-1:0]  word_data_i,
  input  logic                 chosen_write_i,
  input  logic [IndexBits-1:0] chosen_rank_i,
  input  logic [IndexBits-1:0] chosen_dim_i,
  input  logic                 mask_write_i,
  input  logic [Width-1:0]     mask_i,
  // Jobs, and the ring of their keys.
  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  logic [SlotBits-1:0]  job_slot_i,
  input  logic                 job_column_i,
  input  logic                 job_second_i,
  input  logic [SizeBits-1:0]  job_count_i,
  input  logic [RingBits-1:0]  job_base_i,
  input  logic [IndexBits:0]   job_dims_i,
  input  logic [RingBits-1:0]  job_row_lines_i,
  input  logic                 job_last_i,
  output logic                 job_done_o,
  output logic                 ring_read_o,
  output logic [RingBits-1:0]  ring_line_o,
  input  logic [511:0]         ring_data_i,
  // Space for the logits of a head: of step 1, of step 2.
  output logic [1:0]           fill_valid_o,
  input  logic [1:0]           fill_ready_i,
  output logic [SlotBits-1:0]  fill_slot_o,
  // A beat: keys, the query's elements, all of one tile between first and last.
  output logic                 beat_valid_o,
  output logic                 beat_first_o,
  output logic                 beat_last_o,
  output logic                 beat_column_o,
  output logic [IndexBits:0]   beat_number_o,     // of the tile's beats
  output logic [Lanes*16-1:0]  beat_keys_o,
  output logic [QuerySets*Lanes*16-1:0] beat_query_o,  // of each set
  output logic [LiveBits-1:0]  beat_live_o,       // logits of the tile
  output logic                 beat_second_o,
  output logic [GroupBits-1:0] beat_group_o,      // round of queries
  output logic [SizeBits-1:0]  beat_token_o,      // of its first logit, of the step's tokens
  output logic                 beat_end_o,        // the last logit of this tile is the step's last
  output logic                 non_finite_o,      // a counting key of this slot was not finite, some cycles ago
  output logic [SlotBits-1:0]  non_finite_slot_o,
  output logic [2:0]           events_o,          // column beat, row beat, a job waits for space
  output logic                 busy_o             // not only waiting
);
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned PartsPerLine = sparf_kernel_pkg::HalvesPerLine / Lanes;
  localparam int unsigned PartBits = $clog2(PartsPerLine);
  // A row job's part of a line: token times words, and a word.
  localparam int unsigned UnitBits = SizeBits + $clog2(Words);
  localparam int unsigned GapBits = IndexBits + 3;
  localparam int unsigned LogSets = $clog2(QuerySets);
  localparam int unsigned Rounds = MaxGroup / QuerySets;
  localparam int unsigned QueryWordBits = $clog2(Slots * Rounds << WordBits);

  logic beat_column_q;
  logic [Lanes*16-1:0] beat_keys_q;
  logic [QuerySets*Lanes*16-1:0] beat_query_q;
  logic non_finite_q;
  logic [SlotBits-1:0] non_finite_slot_q;
  assign beat_column_o = beat_column_q;
  assign beat_keys_o = beat_keys_q;
  assign beat_query_o = beat_query_q;
  assign non_finite_o = non_finite_q;
  assign non_finite_slot_o = non_finite_slot_q;

  // Heads: the last round.
  logic [GroupBits-1:0] group_q[Slots];
  logic [Width-1:0] mask_q[Slots];

  // The job, its head's last round of queries, and the beats of its tiles.
  logic valid_q, column_q, second_q, last_q, single_q;  // single: a beat
  logic [SlotBits-1:0] slot_q;
  logic [GroupBits-1:0] last_query_q;
  logic [IndexBits:0] beats_q, job_beats;
  logic [IndexBits-1:0] beats_less_q;  // by one
  logic [SizeBits-1:0] count_q;
  logic [RingBits-1:0] base_q, row_lines_q;
  logic [1:0] begin_q;  // the next job of the step is a head's first
  logic [SizeBits-1:0] token0_q[2];  // tokens of the step in earlier jobs

  // Position in the job: token (of a column job the tile's first), round of queries, beat. Conditions on them
  // are computed one cycle ahead.
  logic [SizeBits-1:0] token_q, left_q;  // and tokens from there on
  logic [LiveBits-1:0] live_q;           // of them in this tile
  logic token_last_q;                    // the tile is the last of a query
  logic [GroupBits-1:0] query_q;
  logic [IndexBits:0] beat_q;
  logic inside_q, tile_last_q;           // not the tile's first beat; its last
  logic [RingBits-1:0] skip_q;  // lines of the dimensions before this beat's
  logic [GapBits-1:0] walk_q;   // cycles until the second walk over the last tile ends, less one
  logic [GapBits-1:0] turnaround_q;  // cycles until the tile's logits have left, less one
  logic walked_q, turned_q;     // a tile may begin, by these two counters

  logic room_q, needs_room, issue, begins, advance, query_last, job_end, taken;
  assign job_beats = job_column_i ? job_dims_i : ($bits(job_beats))'(Words);
  assign issue = valid_q && (inside_q || (room_q && walked_q && turned_q));
  assign begins = issue && !inside_q;
  assign query_last = query_q == last_query_q;
  assign advance = issue && tile_last_q && query_last;
  assign job_end = advance && token_last_q;
  assign job_ready_o = !valid_q || job_end;
  assign taken = job_valid_i && job_ready_o;
  // Space is requested from the cycle after a job is accepted, and known one cycle later. It stays until
  // this unit fills it.
  assign needs_room = job_end && job_second_i == second_q ? last_q : begin_q[job_second_i];

  // A tile of this job, or of an accepted job, may begin in the next cycle. If a tile
  // of one beat begins in this cycle, its second walk has no effect.
  logic walked, turned, job_walked, job_turned;
  assign walked = begins || walk_q <= GapBits'(beats_q);
  assign job_walked = begins || walk_q <= GapBits'(job_beats);
  assign turned = begins ? GapBits'(live_q) < GapBits'({beats_q, 1'b0})
                         : turnaround_q <= GapBits'({beats_q, 1'b0});
  assign job_turned = begins ? GapBits'(live_q) < GapBits'({job_beats, 1'b0})
                             : turnaround_q <= GapBits'({job_beats, 1'b0});

  // Logits of a tile; whole: at least Lanes tokens remain.
  function automatic logic [LiveBits-1:0] live_of(input logic column, input logic whole,
                                                  input logic [LaneBits-1:0] left);
    live_of = !column ? LiveBits'(1) : whole ? LiveBits'(Lanes) : LiveBits'(left);
  endfunction

  assign busy_o = (valid_q && (inside_q || room_q || fill_ready_i[second_q])) || walk_q != '0 || turnaround_q != '0;
  assign fill_slot_o = slot_q;
  assign fill_valid_o[0] = issue && begin_q[0] && !second_q;
  assign fill_valid_o[1] = issue && begin_q[1] && second_q;
  assign events_o = {valid_q && !inside_q && !room_q, issue && !column_q, issue && column_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      begin_q <= '1;
      room_q <= 1'b0;
      inside_q <= 1'b0;
      walk_q <= '0;
      turnaround_q <= '0;
      walked_q <= 1'b1;
      turned_q <= 1'b1;
      beat_q <= '0;
    end else begin
      if (taken) valid_q <= 1'b1;
      else if (job_end) valid_q <= 1'b0;
      if (issue) begin_q[second_q] <= job_end && last_q;
      if (taken) room_q <= !needs_room;
      else if (valid_q && fill_ready_i[second_q]) room_q <= 1'b1;
      if (issue) inside_q <= !tile_last_q;
      if (issue) beat_q <= tile_last_q ? '0 : beat_q + 1'b1;
      walked_q <= taken ? job_walked : walked;
      turned_q <= taken ? job_turned : turned;
      if (begins) begin
        walk_q <= GapBits'({beats_less_q, 1'b0});
        turnaround_q <= GapBits'({beats_less_q, 1'b0}) + GapBits'(live_q);
      end else begin
        if (walk_q != '0) walk_q <= walk_q - 1'b1;
        if (turnaround_q != '0) turnaround_q <= turnaround_q - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (head_write_i) begin
      group_q[head_slot_i] <= head_group_i >> LogSets;
    end
    if (mask_write_i) mask_q[prepared_slot_i] <= mask_i;
    if (taken) begin
      slot_q <= job_slot_i;
      column_q <= job_column_i;
      second_q <= job_second_i;
      count_q <= job_count_i;
      base_q <= job_base_i;
      row_lines_q <= job_row_lines_i;
      last_q <= job_last_i;
      last_query_q <= group_q[job_slot_i];
      beats_q <= job_beats;
      beats_less_q <= IndexBits'(job_beats - 1'b1);
      single_q <= job_beats == ($bits(job_beats))'(1);
      tile_last_q <= job_beats == ($bits(job_beats))'(1);
      token_q <= '0;
      left_q <= job_count_i;
      token_last_q <= job_count_i <= (job_column_i ? SizeBits'(Lanes) : SizeBits'(1));
      query_q <= '0;
    end else if (issue) begin
      tile_last_q <= tile_last_q ? single_q : beat_q + ($bits(beat_q))'(2) == beats_q;
      if (tile_last_q) query_q <= query_last ? '0 : query_q + 1'b1;
      if (advance) begin
        token_q <= token_q + (column_q ? SizeBits'(Lanes) : SizeBits'(1));
        left_q <= left_q - (column_q ? SizeBits'(Lanes) : SizeBits'(1));
        token_last_q <= left_q <= (column_q ? SizeBits'(2 * Lanes) : SizeBits'(2));
      end
    end
    // A short path from job_valid_i: if a job ends and none follows, the value is unused.
    if (advance || (job_valid_i && !valid_q)) begin
      live_q <= job_ready_o
          ? live_of(job_column_i, job_count_i[SizeBits-1:LaneBits] != '0, job_count_i[LaneBits-1:0])
          : live_of(column_q, left_q[SizeBits-1:LaneBits+1] != '0, left_q[LaneBits-1:0]);
    end
    if (taken || (issue && tile_last_q)) skip_q <= '0;
    else if (issue) skip_q <= skip_q + row_lines_q;
    if (job_end) token0_q[second_q] <= last_q ? '0 : token0_q[second_q] + count_q;
    if (!rst_ni) begin
      token0_q[0] <= '0;
      token0_q[1] <= '0;
    end
  end

  // The address of the keys: a line, and its part.
  logic [UnitBits-1:0] unit;
  if (Words > 1) begin : gen_unit
    assign unit = column_q ? UnitBits'(token_q) >> LaneBits : {token_q, beat_q[WordBits-1:0]};
  end else begin : gen_unit_row
    assign unit = column_q ? UnitBits'(token_q) >> LaneBits : token_q;
  end

  // Stages by their data: 0 the dimension at the output of the memory, 1 the dimension, the line; in 1
  // the query and the ring are read; 2 their data, 3 the same in registers; then the beat.
  logic [4:0] stage_q;
  logic column_q0, column_q1, column_q2, column_q3;
  logic masked_q0, masked_q1, masked_q2;
  logic [SlotBits-1:0] slot_q0, slot_q1, slot_q2, slot_q3, slot_q4;
  logic [GroupBits-1:0] query_q0, query_q1;
  logic [WordBits-1:0] word_q0, word_q1, word_q2;
  logic [RingBits-1:0] line_q0, line_q1;
  logic [PartBits-1:0] part_q0, part_q1, part_q2, part_q3;
  logic [LaneBits-1:0] lane_q2, lane_q3;
  logic [IndexBits-1:0] dim, dim_q1;
  logic [Lanes-1:0] mask_q3;
  logic [511:0] line_q3;
  logic [QuerySets*Lanes*16-1:0] query_q3;
  logic end_q0, end_q1;

  sram_1r1w #(
    .Words(Slots * Width),
    .DataBits(IndexBits)
  ) u_chosen (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(chosen_write_i),
    .wr_addr_i({prepared_slot_i, chosen_rank_i}),
    .wr_data_i(chosen_dim_i),
    .rd_valid_i(issue && column_q),
    .rd_addr_i({slot_q, beat_q[IndexBits-1:0]}),
    .rd_data_o(dim)
  );

  logic [WordBits-1:0] dim_word, word;
  if (Words > 1) begin : gen_words
    assign dim_word = dim_q1[IndexBits-1:LaneBits];
  end else begin : gen_one_word
    assign dim_word = '0;
  end
  assign word = column_q1 ? dim_word : word_q1;
  // Words of a set's queries: the words of successive rounds are consecutive.
  logic [QueryWordBits-1:0] written_word, read_word;
  logic [QuerySets*Lanes*16-1:0] query_words;
  if (Rounds > 1) begin : gen_rounds
    assign written_word = {prepared_slot_i, word_query_i[GroupBits-1:LogSets], word_i};
    assign read_word = {slot_q1, query_q1[GroupBits-1-LogSets:0], word};
  end else begin : gen_round
    assign written_word = {prepared_slot_i, word_i};
    assign read_word = {slot_q1, word};
  end
  for (genvar s = 0; s < QuerySets; s++) begin : gen_set
    logic mine;
    if (QuerySets > 1) begin : gen_mine
      assign mine = word_query_i[LogSets-1:0] == LogSets'(s);
    end else begin : gen_every
      assign mine = 1'b1;
    end
    sram_1r1w #(
      .Words(Slots * Rounds << WordBits),
      .DataBits(Lanes * 16)
    ) u_query (
      .clk_i(clk_i),
      `RESET_OF_CONTRACTS
      .wr_valid_i(word_write_i && mine),
      .wr_addr_i(written_word),
      .wr_data_i(word_data_i),
      .rd_valid_i(stage_q[1]),
      .rd_addr_i(read_word),
      .rd_data_o(query_words[s*Lanes*16 +: Lanes*16])
    );
  end
  assign ring_read_o = stage_q[1];
  assign ring_line_o = line_q1;
  assign job_done_o = stage_q[1] && end_q1;

  // The marks of a beat, delayed like its operands.
  typedef struct packed {
    logic first;                  // of its tile
    logic last;
    logic [IndexBits:0] number;   // of beats of the tile
    logic [LiveBits-1:0] live;
    logic second;
    logic [GroupBits-1:0] query;
    logic [SizeBits-1:0] token;   // the tile's first
    logic step_end;               // the tile is the last of its step
  } beat_t;
  localparam int unsigned TagBits = 2 + (IndexBits + 1) + LiveBits + 1 + GroupBits + SizeBits + 1;
  beat_t tag, tag_q0, tag_q4;
  logic [3*TagBits-1:0] tag_delay_q;  // stages 1 to 3
  assign tag.first = !inside_q;
  assign tag.last = tile_last_q;
  assign tag.number = beats_q;
  assign tag.live = live_q;
  assign tag.second = second_q;
  assign tag.query = query_q;
  assign tag.token = token0_q[second_q] + token_q;
  assign tag.step_end = last_q && query_last && token_last_q;
  assign beat_first_o = tag_q4.first;
  assign beat_last_o = tag_q4.last;
  assign beat_number_o = tag_q4.number;
  assign beat_live_o = tag_q4.live;
  assign beat_second_o = tag_q4.second;
  assign beat_group_o = tag_q4.query;
  assign beat_token_o = tag_q4.token;
  assign beat_end_o = tag_q4.step_end;
  assign beat_valid_o = stage_q[4];

  // Lanes keys of a line; of each query one element for all, or as many as keys.
  logic [Lanes*16-1:0] part;
  logic [QuerySets*Lanes*16-1:0] set_query;
  logic [Lanes-1:0] mask_word;
  assign part = line_q3[32'(part_q3) * Lanes * 16 +: Lanes * 16];
  if (Words > 1) begin : gen_mask
    assign mask_word = mask_q[slot_q2][32'(word_q2)*Lanes +: Lanes];
  end else begin : gen_mask_row
    assign mask_word = mask_q[slot_q2];
    logic unused;
    assign unused = word_q2[0];
  end
  for (genvar s = 0; s < QuerySets; s++) begin : gen_set_query
    logic [Lanes*16-1:0] own, row_query;
    logic [15:0] element;
    assign own = query_q3[s*Lanes*16 +: Lanes*16];
    assign element = own[32'(lane_q3) * 16 +: 16];
    for (genvar l = 0; l < Lanes; l++) begin : gen_row_query
      assign row_query[l*16 +: 16] = mask_q3[l] ? own[l*16 +: 16] : '0;
    end
    assign set_query[s*Lanes*16 +: Lanes*16] = column_q3 ? {Lanes{element}} : row_query;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stage_q <= '0;
    else stage_q <= {stage_q[3:0], issue};
  end

  always_ff @(posedge clk_i) begin
    if (issue) begin
      column_q0 <= column_q;
      masked_q0 <= !second_q;
      slot_q0 <= slot_q;
      query_q0 <= query_q;
      word_q0 <= beat_q[WordBits-1:0];
      line_q0 <= base_q + RingBits'(unit >> PartBits) + (column_q ? skip_q : '0);
      part_q0 <= unit[PartBits-1:0];
      end_q0 <= job_end;
      tag_q0 <= tag;
    end
    if (stage_q[0]) begin
      column_q1 <= column_q0;
      masked_q1 <= masked_q0;
      slot_q1 <= slot_q0;
      query_q1 <= query_q0;
      word_q1 <= word_q0;
      line_q1 <= line_q0;
      part_q1 <= part_q0;
      dim_q1 <= dim;
      end_q1 <= end_q0;
    end
    if (stage_q[1]) begin
      column_q2 <= column_q1;
      masked_q2 <= masked_q1;
      slot_q2 <= slot_q1;
      word_q2 <= word_q1;
      part_q2 <= part_q1;
      lane_q2 <= dim_q1[LaneBits-1:0];
    end
    if (stage_q[2]) begin
      column_q3 <= column_q2;
      part_q3 <= part_q2;
      lane_q3 <= lane_q2;
      mask_q3 <= mask_word | {Lanes{!masked_q2}};
      line_q3 <= ring_data_i;
      query_q3 <= query_words;
      slot_q3 <= slot_q2;
    end
    if (stage_q[3]) begin
      beat_column_q <= column_q3;
      beat_keys_q <= part;
      beat_query_q <= set_query;
      slot_q4 <= slot_q3;
    end
    tag_delay_q <= {tag_delay_q[2*TagBits-1:0], tag_q0};
    tag_q4 <= tag_delay_q[2*TagBits +: TagBits];
    // The reset keeps this stage a register if the delay becomes a memory, which is slower.
    if (!rst_ni) tag_q4 <= '0;
  end

  // Counting keys: of a column the keys of the tile's tokens, of a row the chosen dimensions. A key is checked
  // before its beat, so that one cycle remains for the lanes together.
  logic [Lanes-1:0] special, special_q4;
  for (genvar l = 0; l < Lanes; l++) begin : gen_special
    always_ff @(posedge clk_i) begin
      if (stage_q[3]) begin
        special_q4[l] <= sparf_kernel_pkg::non_finite(part[l*16+10 +: 5]) && (column_q3 || mask_q3[l]);
      end
    end
    assign special[l] = special_q4[l] && (!beat_column_q || LiveBits'(l) < tag_q4.live);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) non_finite_q <= 1'b0;
    else non_finite_q <= stage_q[4] && special != '0;
    non_finite_slot_q <= slot_q4;
  end

  if (Lanes < 4 || Lanes > 16 || (Lanes & (Lanes - 1)) != 0) begin : gen_bad_lanes
    $error("sparf_gemv_sequencer: Lanes must be 4, 8 or 16");
  end
  if (QuerySets < 1 || QuerySets > MaxGroup || (QuerySets & (QuerySets - 1)) != 0) begin : gen_bad_sets
    $error("sparf_gemv_sequencer: QuerySets must be a power of two, at most MaxGroup");
  end
  if (Width < Lanes || Width < 8 || (Width & (Width - 1)) != 0) begin : gen_bad_width
    $error("sparf_gemv_sequencer: Width must be a power of two, at least 8 and at least Lanes");
  end

  `IMPLIES(CountInRange_A, job_valid_i, job_count_i != '0 && job_count_i <= SizeBits'(MaxKeys))
  `IMPLIES(ColumnsInStepOne_A, job_valid_i && job_column_i, !job_second_i)
endmodule
