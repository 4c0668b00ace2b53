// SPDX-License-Identifier: Apache-2.0
// Selects the `take` largest of `count` keys: ties to the lower index, the last `window` keys ahead of all
// others (if they are more than `take`, the largest of them). Keys arrive and selections leave KeysPerCycle
// at a time, in order of index. A beat of selections is a mask; beats without a selection are dropped, except
// the last one.
//
// A key is an unsigned number, or with Float sign and magnitude (binary32 without NaN), where -0 equals +0.
// Radix selection: digits of DigitBits, largest first; each pass over the keys counts one digit, and a last
// pass selects. The unit counts digits until they separate the selected keys from all others: enough digits
// to distinguish the smallest selected key from the largest key that is not selected. The sender stores the
// keys and sends them for each read_valid_o: in order, always accepted, at least FetchStages (sparf_topk_pkg)
// later. The first read is in the second cycle after the start. Let B = ceil(count / KeysPerCycle), D the
// number of digits counted (all of ceil(KeyBits / DigitBits) if the index decides between two equal keys),
// and F the cycles from a read to its keys. Without stalls the last selection leaves after this number of
// cycles:
//   B + F + C + E - 1 + D (B + F + C)
//   B + F + C + E - 1 + B + F + C when all keys are selected, or only keys of the window
// where C and E are CountStages and EmitStages of sparf_topk_pkg: the result of a pass is known before the
// first key of the next pass needs it.
`include "assert.svh"
module sparf_argtopk #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned KeyBits = 32,
  parameter int unsigned KeysPerCycle = 8,
  parameter int unsigned Float = 1,
  parameter int unsigned DigitBits = 4,
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
  output logic                    read_valid_o,
  output logic [BeatBits-1:0]     read_beat_o,
  input  logic                    key_valid_i,
  input  logic [DataBits-1:0]     key_data_i,      // beyond `count`: anything
  output logic                    sel_valid_o,
  input  logic                    sel_ready_i,
  output logic [BeatBits-1:0]     sel_beat_o,
  output logic [KeysPerCycle-1:0] sel_mask_o,
  output logic                    sel_last_o,
  output logic                    busy_o           // for clock gates, also if start_ready_o
);
  localparam int unsigned Digits = (KeyBits + DigitBits - 1) / DigitBits;
  localparam int unsigned PaddedBits = Digits * DigitBits;
  localparam int unsigned IndexBits = $clog2(Digits);
  localparam int unsigned LaneBits = $clog2(KeysPerCycle);

  logic [BeatBits-1:0] read_beat_q;
  assign read_beat_o = read_beat_q;

  typedef enum logic [1:0] {
    StateIdle,
    StateCount,
    StateEmit
  } state_e;

  state_e state_q, state_d;
  logic start, emitting, reading_q;
  assign start = start_valid_i && start_ready_o;
  assign start_ready_o = state_q == StateIdle;
  assign emitting = state_q == StateEmit;
  assign busy_o = reading_q || sel_valid_o;

  // Preparation: clipped sizes; the number of keys outside the window, and the start of the window. The last
  // step ends before the first key arrives. Candidates are the keys of the window, if they suffice
  // for all selections; otherwise the keys before it, and all keys of the window are selected.
  logic [4:0] prepare_q;  // which step is next
  logic [SizeBits-1:0] count_q, take_q, window_q, begin_q;
  logic [BeatBits-1:0] last_beat_q;
  logic window_only_q, take_all_q, window_all_q;
  logic [KeysPerCycle-1:0] begin_mask_q, last_mask_q;  // of their beats: keys in the window, keys
  logic all_q, decided_q;  // all candidates are selected; or none: no digit is compared
  // Minus the number of keys that are still to be selected; the number of keys selected in this cycle.
  logic [SizeBits-1:0] remaining_q, taken_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) prepare_q <= '0;
    else prepare_q <= {prepare_q[3:0], start};
    if (start) begin
      count_q <= start_count_i;
      take_q <= start_take_i;
      window_q <= start_window_i;
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
    end
    if (prepare_q[2]) begin
      begin_q <= count_q - window_q;
      begin_mask_q <= {KeysPerCycle{1'b1}} << (count_q[LaneBits-1:0] - window_q[LaneBits-1:0]);
      last_mask_q <= count_q[LaneBits-1:0] == '0 ? '1
          : ~({KeysPerCycle{1'b1}} << count_q[LaneBits-1:0]);
      all_q <= window_only_q ? window_all_q : take_all_q;
      decided_q <= window_only_q ? window_all_q || take_q == '0 : take_all_q;
    end
  end

  // A pass over the keys: requests, and arrivals.
  logic pass_done, room;
  logic [BeatBits-1:0] beat_q;  // the next one to arrive
  logic key_last;
  assign key_last = beat_q == last_beat_q;
  assign read_valid_o = reading_q && (!emitting || room);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) reading_q <= 1'b0;
    else if (prepare_q[0] || pass_done) reading_q <= 1'b1;
    else if (read_valid_o && read_beat_q == last_beat_q) reading_q <= 1'b0;
    if (start) read_beat_q <= '0;
    else if (read_valid_o) read_beat_q <= read_beat_q == last_beat_q ? '0 : read_beat_q + 1'b1;
    if (start) beat_q <= '0;
    else if (key_valid_i) beat_q <= key_last ? '0 : beat_q + 1'b1;
  end

  // Stages: keys in the order of unsigned numbers, and whether they are candidates or selected in any case; compared
  // with the known digits; whether they are equal to all of them; ranked.
  logic [3:0] valid_q, last_q;
  logic [KeysPerCycle-1:0] candidate_q0, candidate_q1, forced_q0, forced_q1;
  logic [KeysPerCycle-1:0] above_q1, equal_q1;
  logic [KeysPerCycle-1:0] equal, equal_q2, equal_q3, sure_q2, sure_q3;
  logic [KeysPerCycle*DigitBits-1:0] digits_q1;
  logic [LaneBits-1:0] rank_q3[KeysPerCycle];  // equal keys of lower lanes in the beat
  assign equal = decided_q ? '0 : candidate_q1 & equal_q1;
  assign pass_done = valid_q[2] && last_q[2] && !emitting;

  // Keys of a beat in the window or behind it, and keys behind the last one.
  logic window_here, window_before_q;
  logic [KeysPerCycle-1:0] behind, window;
  assign window_here = {1'b0, beat_q} == begin_q[SizeBits-1:LaneBits];
  assign behind = window_before_q ? '1 : window_here ? begin_mask_q : '0;
  assign window = key_last ? behind & last_mask_q : behind;
  function automatic logic [LaneBits:0] ones(input logic [KeysPerCycle-1:0] mask);
    ones = (LaneBits + 1)'(sparf_topk_pkg::ones(sparf_topk_pkg::MaxLanes'(mask)));
  endfunction

  // Digits found so far, and which they are; which is looked for.
  logic [PaddedBits-1:0] threshold_q;
  logic [Digits-1:0] known_q;
  logic [IndexBits-1:0] index_q;
  sparf_topk_lanes #(
    .Lanes(KeysPerCycle),
    .KeyBits(KeyBits),
    .Float(Float),
    .DigitBits(DigitBits)
  ) u_lanes (
    .clk_i(clk_i),
    .key_valid_i(key_valid_i),
    .key_i(key_data_i),
    .ordered_valid_i(valid_q[0]),
    .threshold_i(threshold_q),
    .known_i(known_q),
    .index_i(index_q),
    .compared_valid_i(valid_q[1]),
    .above_o(above_q1),
    .equal_o(equal_q1),
    .digit_o(digits_q1)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      last_q <= '0;
    end else begin
      // A counting pass emits nothing.
      valid_q <= {valid_q[2] && emitting, valid_q[1:0], key_valid_i};
      last_q <= {last_q[2:0], key_last};
    end
    if (start) window_before_q <= 1'b0;
    else if (key_valid_i) window_before_q <= !key_last && (window_before_q || window_here);
    if (key_valid_i) begin
      candidate_q0 <= window_only_q ? window : ~behind;
      forced_q0 <= window_only_q ? '0 : window;
    end
    if (valid_q[0]) begin
      candidate_q1 <= candidate_q0;
      forced_q1 <= forced_q0;
    end
    if (valid_q[1]) begin
      equal_q2 <= equal;
      sure_q2 <= forced_q1 | (candidate_q1 & (decided_q ? {KeysPerCycle{all_q}} : above_q1));
    end
    if (valid_q[2]) begin
      equal_q3 <= equal_q2;
      sure_q3 <= sure_q2;
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        rank_q3[l] <= LaneBits'(ones(equal_q2 & ~({KeysPerCycle{1'b1}} << l)));
      end
    end
  end

  // Digits: the largest unknown one. The pass after a counting pass begins before the unit knows whether it counts or
  // selects.
  logic scan_done, scan_whole, load_q;
  logic [DigitBits-1:0] scan_digit;
  logic [SizeBits-1:0] scan_left;
  sparf_topk_counts #(
    .Lanes(KeysPerCycle),
    .MaxKeys(MaxKeys),
    .DigitBits(DigitBits)
  ) u_counts (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .load_i(load_q),
    .remaining_i(remaining_q),
    .count_valid_i(equal),
    .count_digit_i(digits_q1),
    .scan_i(valid_q[1] && last_q[1] && !emitting && !decided_q),
    .scan_done_o(scan_done),
    .digit_o(scan_digit),
    .left_o(scan_left),
    .whole_o(scan_whole)
  );
  always_ff @(posedge clk_i) begin
    load_q <= prepare_q[4] || scan_done;
    if (start) begin
      index_q <= IndexBits'(Digits - 1);
      threshold_q <= '0;
      known_q <= '0;
    end else if (scan_done) begin
      for (int unsigned d = 0; d < Digits; d++) begin
        if (32'(index_q) == d) threshold_q[d*DigitBits +: DigitBits] <= scan_digit;
      end
      known_q <= {1'b1, known_q[Digits-1:1]};
      if (index_q != '0) index_q <= index_q - 1'b1;
    end
  end

  // Selection: of the equal ones the first, as many as are still needed.
  logic emit_valid_q, emit_last_q;
  logic [BeatBits-1:0] emit_beat_q;
  logic [KeysPerCycle-1:0] emit_mask_q;
  logic none_left, all_fit;  // no key is still to be selected; all keys of a beat can be
  assign none_left = !remaining_q[SizeBits-1];
  assign all_fit = remaining_q[SizeBits-2:LaneBits] != '1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) emit_valid_q <= 1'b0;
    else emit_valid_q <= valid_q[3];
    emit_last_q <= last_q[3];
    if (start) emit_beat_q <= '0;
    else if (emit_valid_q) emit_beat_q <= emit_beat_q + 1'b1;
    if (valid_q[3]) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        emit_mask_q[l] <= sure_q3[l] || (equal_q3[l] && !none_left &&
            (all_fit || rank_q3[l] <= ~remaining_q[LaneBits-1:0]));
      end
    end
    // remaining_q is minus the number of keys that are still to be selected. One adder serves three operations:
    // subtract `take`, add the keys of the window, and per beat add the selected keys of equal value.
    if (prepare_q[2]) taken_q <= ~take_q;
    else if (prepare_q[3]) taken_q <= window_only_q ? '0 : window_q;
    else if (valid_q[2]) taken_q <= SizeBits'(ones(equal_q2));
    if (start) remaining_q <= '0;
    else if (scan_done) remaining_q <= scan_left;
    else if (prepare_q[3] || prepare_q[4] || (valid_q[3] && !none_left)) begin
      remaining_q <= remaining_q + taken_q + SizeBits'(prepare_q[3]);
    end
  end

  logic emit_done;
  sparf_topk_queue #(
    .BeatBits(BeatBits),
    .Lanes(KeysPerCycle)
  ) u_queue (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .begin_i(pass_done),
    .promise_i(read_valid_o),
    .room_o(room),
    .beat_valid_i(emit_valid_q),
    .beat_last_i(emit_last_q),
    .beat_i(emit_beat_q),
    .mask_i(emit_mask_q),
    .sel_valid_o(sel_valid_o),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat_o),
    .sel_mask_o(sel_mask_o),
    .sel_last_o(sel_last_o),
    .done_o(emit_done)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateIdle: if (start_valid_i) state_d = StateCount;
      StateCount: begin
        if ((pass_done && (decided_q || index_q == '0)) || (scan_done && scan_whole)) begin
          state_d = StateEmit;
        end
      end
      StateEmit: if (emit_done) state_d = StateIdle;
      default: state_d = StateIdle;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end

  if (Digits < 2) begin : gen_bad_key
    $error("argtopk: a key must have two digits at least");
  end
  if (KeysPerCycle < 2 || KeysPerCycle > sparf_topk_pkg::MaxLanes ||
      (KeysPerCycle & (KeysPerCycle - 1)) != 0) begin : gen_bad_lanes
    $error("argtopk: KeysPerCycle must be a power of two, at least 2, at most MaxLanes");
  end
  if ((MaxKeys & (MaxKeys - 1)) != 0 || MaxKeys < 2 * KeysPerCycle) begin : gen_bad_size
    $error("argtopk: MaxKeys must be a power of two, at least two beats");
  end

  `IMPLIES(StartInRange_A, start_valid_i,
           start_count_i != '0 &&
          start_count_i <= SizeBits'(MaxKeys))
  `IMPLIES(NeedsSome_A, load_q && !decided_q, !none_left)

`ifdef NEARDATA_ASSERT
  // A second selection by the definition, for jobs that are small enough: a key is selected when fewer keys than
  // required are ahead of it.
  localparam int unsigned NaiveKeys = MaxKeys < 1024 ? MaxKeys : 1024;
  localparam int unsigned NaiveBits = $clog2(NaiveKeys);
  logic [KeyBits-1:0] naive_keys_q[NaiveKeys];
  logic [SizeBits-1:0] naive_need_q, asked_q;
  logic [KeysPerCycle-1:0] naive_mask;

  function automatic logic [KeyBits-1:0] naive_order(input logic [KeyBits-1:0] key);
    naive_order = Float == 0 ? key
        : key[KeyBits-1] && key[KeyBits-2:0] != '0 ? ~key : {1'b1, key[KeyBits-2:0]};
  endfunction

  function automatic logic naive_selected(input logic [SizeBits-1:0] index);
    int unsigned ahead;
    ahead = 0;
    for (int unsigned j = 0; j < 32'(count_q); j++) begin
      if ((SizeBits'(j) >= begin_q) == window_only_q) begin
        if (naive_keys_q[NaiveBits'(j)] > naive_keys_q[NaiveBits'(index)]) ahead = ahead + 1;
        if (naive_keys_q[NaiveBits'(j)] == naive_keys_q[NaiveBits'(index)] &&
            SizeBits'(j) < index) begin
          ahead = ahead + 1;
        end
      end
    end
    naive_selected = index < count_q && ((index >= begin_q) == window_only_q
        ? ahead < 32'(naive_need_q) : !window_only_q);
  endfunction

  always_ff @(posedge clk_i) begin
    if (prepare_q[2]) naive_need_q <= window_only_q ? take_q : take_q - window_q;
    if (state_q == StateCount && key_valid_i) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        if (32'(beat_q) * KeysPerCycle + l < NaiveKeys) begin
          naive_keys_q[(32'(beat_q) * KeysPerCycle + l) % NaiveKeys] <=
              naive_order(key_data_i[l*KeyBits +: KeyBits]);
        end
      end
    end
    asked_q <= !rst_ni ? '0 : asked_q + SizeBits'(read_valid_o) - SizeBits'(key_valid_i);
  end
  always_comb begin
    naive_mask = '0;
    if (emit_valid_q && 32'(count_q) <= NaiveKeys) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        naive_mask[l] = naive_selected({1'b0, emit_beat_q, LaneBits'(l)});
      end
    end
  end
  `IMPLIES(IsNaive_A, emit_valid_q && 32'(count_q) <= NaiveKeys, emit_mask_q == naive_mask)
  `IMPLIES(KeyAsked_A, key_valid_i, asked_q != '0)
`endif
endmodule
