// SPDX-License-Identifier: Apache-2.0
// Selects the `take` largest of `count` keys: ties to the lower index, the last `window` keys ahead
// of all others (if they are more than `take`, the largest of them). Keys come and selections leave
// KeysPerCycle at a time, in order of index; a beat of selections is a mask, and beats in which
// nothing is selected are left out, except the last one.
//
// A key is an unsigned number, or with start_float_i sign and magnitude (binary32 without NaN),
// where -0 equals +0. Radix selection: digits of 8 bits, largest first; keys are counted as they
// come, and once more for every further digit. They are kept here, up to StoreKeys of them; or
// (start_kept_i) by who sends them, and come again, in order, for each again_valid_o: always taken,
// any time later. With B = ceil(count / KeysPerCycle) and D digits the last selection leaves, if
// nobody waits and keys are kept here, so many cycles after the first key has come:
//   2 B + 2 C + F + E - 2 + (D - 1) (B + C + F - 1) + D (topk_pkg::scan_cycles(KeysPerCycle) + 1)
//   2 B + 2 C + F + E - 1 when all keys are selected, or none but the window's
// where C, F and E are topk_pkg's CountStages, FetchStages and EmitStages.
`include "assert.svh"
module argtopk #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned KeyBits = 32,
  parameter int unsigned KeysPerCycle = 8,
  parameter int unsigned StoreKeys = MaxKeys,
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned BeatBits = $clog2(MaxKeys / KeysPerCycle),
  localparam int unsigned DataBits = KeysPerCycle * KeyBits
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    start_valid_i,
  output logic                    start_ready_o,
  input  logic [SizeBits-1:0]     start_count_i,   // 1 .. MaxKeys
  input  logic [SizeBits-1:0]     start_take_i,
  input  logic [SizeBits-1:0]     start_window_i,
  input  logic                    start_float_i,
  input  logic                    start_kept_i,    // keys come again; otherwise 1 .. StoreKeys
  input  logic                    key_valid_i,
  output logic                    key_ready_o,     // from the third cycle after the start
  input  logic [DataBits-1:0]     key_data_i,      // beyond `count`: anything
  output logic                    again_valid_o,
  output logic [BeatBits-1:0]     again_beat_o,
  output logic                    sel_valid_o,
  input  logic                    sel_ready_i,
  output logic [BeatBits-1:0]     sel_beat_o,
  output logic [KeysPerCycle-1:0] sel_mask_o,
  output logic                    sel_last_o
);
  localparam int unsigned Bits = topk_pkg::DigitBits;
  localparam int unsigned Digits = KeyBits / Bits;
  localparam int unsigned LaneBits = $clog2(KeysPerCycle);
  localparam int unsigned RankBits = LaneBits + 1;  // 0 .. KeysPerCycle
  localparam int unsigned QueueBits = $clog2(topk_pkg::QueueBeats);

  typedef enum logic [2:0] {
    StateClear,
    StateIdle,
    StatePrepare,
    StateLoad,
    StateScan,
    StateCount,
    StateEmit
  } state_e;

  state_e state_q, state_d;

  // The job: of the candidates [low, high) `need` are taken, and all of [forced, count).
  logic [SizeBits-1:0] count_q, take_q, window_q, low_q, high_q, forced_q, need_q;
  logic [SizeBits-1:0] others_q, open_q;  // keys before the window, to be taken beside it
  logic [BeatBits-1:0] last_beat_q;
  logic float_q, kept_q;
  logic window_only_q, take_all_q, window_all_q;
  logic all_q, decided_q;  // all candidates are taken; or none: no digit is looked at
  logic [2:0] prepare_q;           // which step of the preparation is next
  // Digits found so far, and which bits they are.
  logic [KeyBits-1:0] threshold_q, known_q;
  logic [$clog2(Digits+1)-1:0] digit_q;

  logic start, emitting;
  assign start = start_valid_i && start_ready_o;
  assign start_ready_o = state_q == StateIdle;
  assign emitting = state_q == StateEmit;

  // Preparation: clipped sizes; what is left beside the window; the ranges. The last step ends
  // before the first key is compared with them.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) prepare_q <= '0;
    else prepare_q <= {prepare_q[1:0], start};
    if (start) begin
      count_q <= start_count_i;
      take_q <= start_take_i;
      window_q <= start_window_i;
      float_q <= start_float_i;
      kept_q <= start_kept_i;
    end
    if (prepare_q[0]) begin
      if (take_q > count_q) take_q <= count_q;
      if (window_q > count_q) window_q <= count_q;
      take_all_q <= take_q >= count_q;
      last_beat_q <= BeatBits'((count_q - 1'b1) >> LaneBits);
    end
    if (prepare_q[1]) begin
      window_only_q <= window_q >= take_q;
      window_all_q <= window_q == take_q;
      others_q <= count_q - window_q;
      open_q <= take_q - window_q;
    end
    if (prepare_q[2]) begin
      low_q <= window_only_q ? others_q : '0;
      high_q <= window_only_q ? count_q : others_q;
      forced_q <= window_only_q ? count_q : others_q;
      all_q <= window_only_q ? window_all_q : take_all_q;
      decided_q <= window_only_q ? window_all_q || take_q == '0 : take_all_q;
    end
  end

  // A pass over the keys: from their source, or read again.
  logic loading_q, reading_q;
  logic key_taken, pass_begins, read, own_read, room;
  logic [BeatBits-1:0] read_beat_q, beat_q;  // read next; of the pass that come next
  assign key_ready_o = loading_q || (kept_q && (state_q == StateCount || emitting));
  assign key_taken = key_valid_i && key_ready_o;
  assign read = reading_q && (!emitting || room);
  assign own_read = read && !kept_q;
  assign again_valid_o = read && kept_q;
  assign again_beat_o = read_beat_q;

  localparam int unsigned StoreBeats = StoreKeys / KeysPerCycle;
  localparam int unsigned StoreBits = $clog2(StoreBeats);
  logic [DataBits-1:0] stored, stored_q;
  logic fetched_q, stored_valid_q;
  sram_1r1w #(
    .Words(StoreBeats),
    .DataBits(DataBits)
  ) u_keys (
    .clk_i(clk_i),
    .wr_valid_i(key_taken && loading_q && !kept_q),
    .wr_addr_i(beat_q[StoreBits-1:0]),
    .wr_data_i(key_data_i),
    .rd_valid_i(own_read),
    .rd_addr_i(read_beat_q[StoreBits-1:0]),
    .rd_data_o(stored)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loading_q <= 1'b0;
      reading_q <= 1'b0;
      fetched_q <= 1'b0;
      stored_valid_q <= 1'b0;
    end else begin
      if (state_q == StatePrepare && state_d == StateLoad) loading_q <= 1'b1;
      else if (key_taken && beat_q == last_beat_q) loading_q <= 1'b0;
      if (pass_begins) reading_q <= 1'b1;
      else if (read && read_beat_q == last_beat_q) reading_q <= 1'b0;
      fetched_q <= own_read;
      stored_valid_q <= fetched_q;
    end
    stored_q <= stored;
    if (start) read_beat_q <= '0;
    else if (read) read_beat_q <= read_beat_q == last_beat_q ? '0 : read_beat_q + 1'b1;
    if (start) beat_q <= '0;
    else if (key_taken || stored_valid_q) beat_q <= beat_q == last_beat_q ? '0 : beat_q + 1'b1;
  end

  // Stages: a beat as it came; its keys in the order of unsigned numbers, and whether they are
  // candidates or taken anyway; against the digits that are known; counted, or ranked.
  logic [3:0] valid_q, last_q;
  logic [BeatBits-1:0] stage_beat_q[4];
  logic [DataBits-1:0] keys_q0, keys_q1;
  logic [KeysPerCycle-1:0] candidate_q1, candidate_q2, forced_q1, forced_q2;
  logic [KeysPerCycle-1:0] above_q2, equal_q2, alike_q2, equal_q3, sure_q3, count_valid_q3;
  logic [KeysPerCycle*Bits-1:0] count_digit_q2, count_digit_q3;
  logic [RankBits-1:0] rank_q3[KeysPerCycle];  // equal keys before this one in the beat
  logic [RankBits-1:0] equals_q3;
  logic pass_done, scan_done;
  assign pass_done = valid_q[3] && last_q[3];
  // They are read again.
  assign pass_begins = state_q == StateScan ? scan_done
      : state_q == StateLoad && pass_done && decided_q;

  // Which keys of a beat lie at a bound of the ranges or behind it. The beat is compared once, for
  // all of its lanes.
  logic [SizeBits-1:0] bounds[4];
  logic [KeysPerCycle-1:0] from[4];
  assign bounds[0] = low_q;
  assign bounds[1] = high_q;
  assign bounds[2] = forced_q;
  assign bounds[3] = count_q;
  for (genvar b = 0; b < 4; b++) begin : gen_bound
    logic behind, same;
    assign behind = {1'b0, stage_beat_q[0]} > bounds[b][SizeBits-1:LaneBits];
    assign same = {1'b0, stage_beat_q[0]} == bounds[b][SizeBits-1:LaneBits];
    assign from[b] = {KeysPerCycle{behind}} |
        ({KeysPerCycle{same}} & ({KeysPerCycle{1'b1}} << bounds[b][LaneBits-1:0]));
  end

  for (genvar l = 0; l < KeysPerCycle; l++) begin : gen_lane
    logic [KeyBits-1:0] key0, key1;
    logic negative;
    assign key0 = keys_q0[l*KeyBits +: KeyBits];
    assign key1 = keys_q1[l*KeyBits +: KeyBits];
    assign negative = key0[KeyBits-1] && key0[KeyBits-2:0] != '0;
    always_ff @(posedge clk_i) begin
      keys_q1[l*KeyBits +: KeyBits] <=
          !float_q ? key0 : negative ? ~key0 : {1'b1, key0[KeyBits-2:0]};
      candidate_q1[l] <= from[0][l] && !from[1][l];
      forced_q1[l] <= from[2][l] && !from[3][l];
      above_q2[l] <= key1 > threshold_q;
      equal_q2[l] <= key1 == threshold_q;
      alike_q2[l] <= ((key1 ^ threshold_q) & known_q) == '0;
      count_digit_q2[l*Bits +: Bits] <= Bits'(key1 >> (digit_q * Bits));
    end
  end

  logic [KeysPerCycle-1:0] equal;
  assign equal = decided_q ? '0 : candidate_q2 & equal_q2;
  function automatic logic [RankBits-1:0] ones(input logic [KeysPerCycle-1:0] mask);
    ones = '0;
    for (int unsigned l = 0; l < KeysPerCycle; l++) ones = ones + RankBits'(mask[l]);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      last_q <= '0;
    end else begin
      valid_q <= {valid_q[2:0], key_taken || stored_valid_q};
      last_q <= {last_q[2:0], beat_q == last_beat_q};
    end
    stage_beat_q[0] <= beat_q;
    for (int unsigned s = 1; s < 4; s++) stage_beat_q[s] <= stage_beat_q[s-1];
    keys_q0 <= stored_valid_q ? stored_q : key_data_i;
    candidate_q2 <= candidate_q1;
    forced_q2 <= forced_q1;
    count_valid_q3 <= valid_q[2] && !emitting && !decided_q ? candidate_q2 & alike_q2 : '0;
    count_digit_q3 <= count_digit_q2;
    equal_q3 <= equal;
    sure_q3 <= forced_q2 | (candidate_q2 & (decided_q ? {KeysPerCycle{all_q}} : above_q2));
    for (int unsigned l = 0; l < KeysPerCycle; l++) begin
      rank_q3[l] <= ones(equal & ~({KeysPerCycle{1'b1}} << l));
    end
    equals_q3 <= ones(equal);
  end

  // Digits: the largest one of which nothing is known yet.
  logic [Bits-1:0] scan_digit;
  logic [SizeBits-1:0] scan_above;
  topk_histogram #(
    .Lanes(KeysPerCycle),
    .MaxKeys(MaxKeys)
  ) u_histogram (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .count_valid_i(count_valid_q3),
    .count_digit_i(count_digit_q3),
    .scan_start_i(pass_done && !emitting && !decided_q),
    .need_i(need_q),
    .scan_done_o(scan_done),
    .digit_o(scan_digit),
    .above_o(scan_above)
  );

  // Selection: of the equal ones the first, as many as are still needed.
  logic emit_valid_q4, emit_last_q4;
  logic [BeatBits-1:0] emit_beat_q4;
  logic [KeysPerCycle-1:0] emit_mask_q4;
  logic plenty;  // more are needed than a beat has
  assign plenty = need_q[SizeBits-1:RankBits] != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) emit_valid_q4 <= 1'b0;
    else emit_valid_q4 <= valid_q[3] && emitting;
    emit_last_q4 <= last_q[3];
    emit_beat_q4 <= stage_beat_q[3];
    for (int unsigned l = 0; l < KeysPerCycle; l++) begin
      emit_mask_q4[l] <= sure_q3[l] ||
          (equal_q3[l] && (plenty || rank_q3[l] < need_q[RankBits-1:0]));
    end
    if (prepare_q[2]) begin
      need_q <= window_only_q ? take_q : open_q;
    end else if (state_q == StateScan && scan_done) begin
      need_q <= need_q - scan_above;
    end else if (valid_q[3] && emitting) begin
      need_q <= need_q > SizeBits'(equals_q3) ? need_q - SizeBits'(equals_q3) : '0;
    end
  end

  // Selections wait here. `free` places are not promised to beats on their way.
  logic [BeatBits+KeysPerCycle:0] queue[topk_pkg::QueueBeats];
  logic [QueueBits:0] write_q, out_q, free_q;
  logic keep, drop_q, pop, popped_q, emit_done_q;
  assign keep = emit_valid_q4 && (emit_mask_q4 != '0 || emit_last_q4);
  assign pop = sel_valid_o && sel_ready_i;
  assign room = free_q != '0;
  assign sel_valid_o = write_q != out_q;
  assign {sel_last_o, sel_beat_o, sel_mask_o} = queue[out_q[QueueBits-1:0]];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      out_q <= '0;
      free_q <= (QueueBits + 1)'(topk_pkg::QueueBeats);
      drop_q <= 1'b0;
      popped_q <= 1'b0;
      emit_done_q <= 1'b0;
    end else begin
      drop_q <= emit_valid_q4 && !keep;
      popped_q <= pop;
      emit_done_q <= pop && sel_last_o;
      if (keep) write_q <= write_q + 1'b1;
      if (pop) out_q <= out_q + 1'b1;
      free_q <= free_q + (QueueBits + 1)'(drop_q) + (QueueBits + 1)'(popped_q)
          - (QueueBits + 1)'(emitting && read);
    end
    if (keep) queue[write_q[QueueBits-1:0]] <= {emit_last_q4, emit_beat_q4, emit_mask_q4};
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateClear: if (scan_done) state_d = StateIdle;
      StateIdle: if (start_valid_i) state_d = StatePrepare;
      StatePrepare: if (prepare_q[1]) state_d = StateLoad;
      StateLoad: if (pass_done) state_d = decided_q ? StateEmit : StateScan;
      StateScan: if (scan_done) state_d = digit_q == '0 ? StateEmit : StateCount;
      StateCount: if (pass_done) state_d = StateScan;
      StateEmit: if (emit_done_q) state_d = StateIdle;
      default: state_d = StateClear;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateClear;
    else state_q <= state_d;
    if (start) begin
      digit_q <= ($clog2(Digits + 1))'(Digits - 1);
      threshold_q <= '0;
      known_q <= '0;
    end else if (state_q == StateScan && scan_done) begin
      for (int unsigned d = 0; d < Digits; d++) begin
        if (32'(digit_q) == d) begin
          threshold_q[d*Bits +: Bits] <= scan_digit;
          known_q[d*Bits +: Bits] <= '1;
        end
      end
      if (digit_q != '0) digit_q <= digit_q - 1'b1;
    end
  end

  if (KeyBits % Bits != 0 || KeyBits < 2 * Bits) begin : gen_bad_key
    $error("argtopk: KeyBits must be a multiple of the digit, and at least two digits");
  end
  if (KeysPerCycle < 2 || (KeysPerCycle & (KeysPerCycle - 1)) != 0) begin : gen_bad_lanes
    $error("argtopk: KeysPerCycle must be a power of two, at least 2");
  end
  if ((MaxKeys & (MaxKeys - 1)) != 0 || MaxKeys < 2 * KeysPerCycle ||
      (StoreKeys & (StoreKeys - 1)) != 0 || StoreKeys < 2 * KeysPerCycle ||
      StoreKeys > MaxKeys) begin : gen_bad_size
    $error("argtopk: MaxKeys and StoreKeys must be powers of two, at least two beats");
  end

  `ASSERT(StartInRange_A, start_valid_i |-> start_count_i != '0 &&
          start_count_i <= (start_kept_i ? SizeBits'(MaxKeys) : SizeBits'(StoreKeys)))
  `ASSERT(SelectionHolds_A, sel_valid_o && !sel_ready_i |=> sel_valid_o &&
          $stable({sel_mask_o, sel_beat_o, sel_last_o}))
  `ASSERT(EnoughCandidates_A, state_q == StateScan |-> need_q != '0 && need_q <= high_q - low_q)
  `ASSERT(QueueHasRoom_A, keep |-> write_q - out_q != (QueueBits + 1)'(topk_pkg::QueueBeats))

`ifdef NEARDATA_ASSERT
  // The selection again by its definition, for jobs that are small enough: a key is selected when
  // fewer keys than needed are ahead of it.
  localparam int unsigned NaiveKeys = MaxKeys < 1024 ? MaxKeys : 1024;
  localparam int unsigned NaiveBits = $clog2(NaiveKeys);
  logic [KeyBits-1:0] naive_keys[NaiveKeys];
  logic [SizeBits-1:0] naive_need_q;
  logic [KeysPerCycle-1:0] naive_mask;

  function automatic logic naive_selected(input logic [SizeBits-1:0] index);
    int unsigned ahead;
    ahead = 0;
    for (int unsigned j = 0; j < NaiveKeys; j++) begin
      if (SizeBits'(j) >= low_q && SizeBits'(j) < high_q) begin
        if (naive_keys[j] > naive_keys[NaiveBits'(index)]) ahead = ahead + 1;
        if (naive_keys[j] == naive_keys[NaiveBits'(index)] && SizeBits'(j) < index) begin
          ahead = ahead + 1;
        end
      end
    end
    naive_selected = (index >= forced_q && index < count_q) ||
        (index >= low_q && index < high_q && ahead < 32'(naive_need_q));
  endfunction

  always_ff @(posedge clk_i) begin
    if (prepare_q[2]) naive_need_q <= window_only_q ? take_q : open_q;
    if (state_q == StateLoad && valid_q[1]) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        if (32'(stage_beat_q[1]) * KeysPerCycle + l < NaiveKeys) begin
          naive_keys[(32'(stage_beat_q[1]) * KeysPerCycle + l) % NaiveKeys] <=
              keys_q1[l*KeyBits +: KeyBits];
        end
      end
    end
  end

  always_comb begin
    naive_mask = '0;
    if (emit_valid_q4 && 32'(count_q) <= NaiveKeys) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        naive_mask[l] = naive_selected({1'b0, emit_beat_q4, LaneBits'(l)});
      end
    end
  end
  `ASSERT(IsNaive_A, emit_valid_q4 && 32'(count_q) <= NaiveKeys |-> emit_mask_q4 == naive_mask)
`endif
endmodule
