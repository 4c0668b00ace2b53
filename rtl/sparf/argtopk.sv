// SPDX-License-Identifier: Apache-2.0
// Selects the `take` largest of `count` keys: ties to the lower index, the last `window` keys ahead
// of all others (if they are more than `take`, the largest of them). Keys come and selections leave
// KeysPerCycle at a time, in order of index; a beat of selections is a mask, and beats in which
// nothing is selected are left out, except the last one.
//
// A key is an unsigned number, or with start_float_i sign and magnitude (binary32 without NaN),
// where -0 equals +0. Radix selection: digits of 8 bits, largest first; keys are counted as they
// come, and once more for every further digit. With B = ceil(count / KeysPerCycle) and D digits the
// last selection leaves, if nobody waits, so many cycles after the first key has come:
//   2 B + (D - 1) (B + 1) + D (topk_pkg::ScanCycles + 1) + 2
//   2 B + 2 when all keys are selected, or none but the window's
`include "assert.svh"
module argtopk #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned KeyBits = 32,
  parameter int unsigned KeysPerCycle = 8,
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
  input  logic                    key_valid_i,
  output logic                    key_ready_o,
  input  logic [DataBits-1:0]     key_data_i,      // beyond `count`: anything
  output logic                    sel_valid_o,
  input  logic                    sel_ready_i,
  output logic [BeatBits-1:0]     sel_beat_o,
  output logic [KeysPerCycle-1:0] sel_mask_o,
  output logic                    sel_last_o
);
  localparam int unsigned Digits = KeyBits / topk_pkg::DigitBits;
  localparam int unsigned LaneBits = $clog2(KeysPerCycle);

  typedef enum logic [2:0] {
    StateClear,
    StateIdle,
    StateLoad,
    StateScan,
    StateCount,
    StateEmit
  } state_e;

  state_e state_q, state_d;

  // The job: of the candidates [low, high) `need` are taken, and all of [forced, count).
  logic [SizeBits-1:0] count_q, low_q, high_q, forced_q, need_q;
  logic float_q;
  logic all_q, none_q;  // of the candidates: no digit is looked at
  // Digits found so far, and which bits they are.
  logic [KeyBits-1:0] threshold_q, known_q;

  logic [SizeBits-1:0] take_clipped, window_clipped, candidates;
  logic window_only;
  logic start;

  assign start = start_valid_i && start_ready_o;
  assign start_ready_o = state_q == StateIdle;
  assign take_clipped = start_take_i < start_count_i ? start_take_i : start_count_i;
  assign window_clipped = start_window_i < start_count_i ? start_window_i : start_count_i;
  assign window_only = window_clipped >= take_clipped;
  assign candidates = high_q - low_q;

  // Keys on their way in, in the order of unsigned numbers.
  logic key_taken;
  logic [DataBits-1:0] ordered;
  assign key_ready_o = state_q == StateLoad;
  assign key_taken = key_valid_i && key_ready_o;

  for (genvar l = 0; l < KeysPerCycle; l++) begin : gen_order
    logic [KeyBits-1:0] key;
    logic negative;
    assign key = key_data_i[l*KeyBits +: KeyBits];
    assign negative = key[KeyBits-1] && key[KeyBits-2:0] != '0;
    assign ordered[l*KeyBits +: KeyBits] =
        !float_q ? key : negative ? ~key : {1'b1, key[KeyBits-2:0]};
  end

  // A beat counter for what comes in and one for what is read again.
  logic [BeatBits-1:0] in_beat_q, read_beat_q, last_beat;
  logic read_left_q;  // beats left to read
  logic read;
  logic [DataBits-1:0] read_data;
  assign last_beat = BeatBits'((count_q - 1'b1) >> LaneBits);

  sram_1r1w #(
    .Words(MaxKeys / KeysPerCycle),
    .DataBits(DataBits)
  ) u_keys (
    .clk_i(clk_i),
    .wr_valid_i(key_taken),
    .wr_addr_i(in_beat_q),
    .wr_data_i(ordered),
    .rd_valid_i(read),
    .rd_addr_i(read_beat_q),
    .rd_data_o(read_data)
  );

  // Stage after the memory: a beat and its index.
  logic data_valid_q;
  logic [BeatBits-1:0] data_beat_q;
  // Stage after that, for the way out: keys against the threshold.
  logic flags_valid_q;
  logic [BeatBits-1:0] flags_beat_q;
  logic [KeysPerCycle-1:0] above_q, equal_q, sure_q;
  logic out_moves;
  assign out_moves = !sel_valid_o || sel_ready_i;

  // What each key of a beat is: in the range of candidates, taken anyway, known digits alike.
  logic [BeatBits-1:0] lane_beat;
  logic [DataBits-1:0] lane_keys;
  logic [KeysPerCycle-1:0] candidate, forced, above, equal, alike;
  assign lane_beat = state_q == StateLoad ? in_beat_q : data_beat_q;
  assign lane_keys = state_q == StateLoad ? ordered : read_data;

  for (genvar l = 0; l < KeysPerCycle; l++) begin : gen_lane
    logic [SizeBits-1:0] index;
    logic [KeyBits-1:0] key;
    assign index = {1'b0, lane_beat, LaneBits'(l)};
    assign key = lane_keys[l*KeyBits +: KeyBits];
    assign candidate[l] = index >= low_q && index < high_q;
    assign forced[l] = index >= forced_q && index < count_q;
    assign above[l] = key > threshold_q;
    assign equal[l] = key == threshold_q;
    assign alike[l] = ((key ^ threshold_q) & known_q) == '0;
  end

  // Digits: the largest one of which nothing is known yet.
  logic [KeysPerCycle-1:0] count_valid;
  logic [KeysPerCycle*topk_pkg::DigitBits-1:0] count_digit;
  logic scan_start_q, scan_done;
  logic [topk_pkg::DigitBits-1:0] scan_digit;
  logic [SizeBits-1:0] scan_above;
  logic [$clog2(Digits+1)-1:0] digit_q;
  logic [KeyBits-1:0] digit_value, digit_mask;

  assign count_valid = (key_taken && !all_q && !none_q) || (state_q == StateCount && data_valid_q)
      ? candidate & alike : '0;
  for (genvar l = 0; l < KeysPerCycle; l++) begin : gen_digit
    assign count_digit[l*topk_pkg::DigitBits +: topk_pkg::DigitBits] = topk_pkg::DigitBits'(
        lane_keys[l*KeyBits +: KeyBits] >> (digit_q * topk_pkg::DigitBits));
  end
  assign digit_value = KeyBits'(scan_digit) << (digit_q * topk_pkg::DigitBits);
  assign digit_mask = {{(KeyBits - topk_pkg::DigitBits){1'b0}}, {topk_pkg::DigitBits{1'b1}}}
      << (digit_q * topk_pkg::DigitBits);

  topk_histogram #(
    .Lanes(KeysPerCycle),
    .MaxKeys(MaxKeys)
  ) u_histogram (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .count_valid_i(count_valid),
    .count_digit_i(count_digit),
    .scan_start_i(scan_start_q),
    .need_i(need_q),
    .scan_done_o(scan_done),
    .digit_o(scan_digit),
    .above_o(scan_above)
  );

  // Selection: of the equal ones the first, as many as are still needed.
  logic [KeysPerCycle-1:0] mask;
  logic [SizeBits-1:0] ties_left;
  always_comb begin
    ties_left = need_q;
    mask = sure_q;
    for (int unsigned l = 0; l < KeysPerCycle; l++) begin
      if (above_q[l]) mask[l] = 1'b1;
      if (equal_q[l] && ties_left != '0) begin
        mask[l] = 1'b1;
        ties_left = ties_left - 1'b1;
      end
    end
  end

  logic load_done, pass_done, emit_done;
  assign load_done = key_taken && in_beat_q == last_beat;
  assign pass_done = data_valid_q && data_beat_q == last_beat;
  assign emit_done = sel_valid_o && sel_ready_i && sel_last_o;
  assign read = read_left_q && (state_q == StateCount || (state_q == StateEmit && out_moves));

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateClear: if (scan_done) state_d = StateIdle;
      StateIdle: if (start_valid_i) state_d = StateLoad;
      StateLoad: if (load_done) state_d = all_q || none_q ? StateEmit : StateScan;
      StateScan: if (scan_done) state_d = digit_q == '0 ? StateEmit : StateCount;
      StateCount: if (pass_done) state_d = StateScan;
      StateEmit: if (emit_done) state_d = StateIdle;
      default: state_d = StateClear;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateClear;
      scan_start_q <= 1'b0;
      read_left_q <= 1'b0;
      data_valid_q <= 1'b0;
      flags_valid_q <= 1'b0;
      sel_valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      scan_start_q <= state_d == StateScan && state_q != StateScan;
      if (state_d != state_q && (state_d == StateCount || state_d == StateEmit)) begin
        read_left_q <= 1'b1;
      end else if (read && read_beat_q == last_beat) begin
        read_left_q <= 1'b0;
      end
      if (state_q == StateCount || out_moves) data_valid_q <= read;
      if (out_moves) begin
        flags_valid_q <= data_valid_q && state_q == StateEmit;
        sel_valid_o <= flags_valid_q && (mask != '0 || flags_beat_q == last_beat);
      end
    end
  end

  // Data registers.
  always_ff @(posedge clk_i) begin
    if (start) begin
      count_q <= start_count_i;
      low_q <= window_only ? start_count_i - window_clipped : '0;
      high_q <= window_only ? start_count_i : start_count_i - window_clipped;
      forced_q <= window_only ? start_count_i : start_count_i - window_clipped;
      need_q <= window_only ? take_clipped : take_clipped - window_clipped;
      all_q <= window_only ? window_clipped == take_clipped : start_count_i == take_clipped;
      none_q <= window_only && take_clipped == '0;
      float_q <= start_float_i;
      in_beat_q <= '0;
      digit_q <= ($clog2(Digits + 1))'(Digits - 1);
      threshold_q <= '0;
      known_q <= '0;
    end
    if (key_taken) in_beat_q <= in_beat_q + 1'b1;
    if (state_q == StateScan && scan_done) begin
      need_q <= need_q - scan_above;
      threshold_q <= threshold_q | digit_value;
      known_q <= known_q | digit_mask;
      if (digit_q != '0) digit_q <= digit_q - 1'b1;
    end
    if (state_d != state_q) read_beat_q <= '0;
    else if (read) read_beat_q <= read_beat_q + 1'b1;
    if (read) data_beat_q <= read_beat_q;
    if (out_moves) begin
      flags_beat_q <= data_beat_q;
      sure_q <= forced | (candidate & {KeysPerCycle{all_q}});
      above_q <= none_q || all_q ? '0 : candidate & above;
      equal_q <= none_q || all_q ? '0 : candidate & equal;
      sel_beat_o <= flags_beat_q;
      sel_mask_o <= mask;
      sel_last_o <= flags_beat_q == last_beat;
      if (flags_valid_q) need_q <= ties_left;
    end
  end

  if (KeyBits % topk_pkg::DigitBits != 0 || KeyBits < 2 * topk_pkg::DigitBits) begin : gen_bad_key
    $error("argtopk: KeyBits must be a multiple of the digit, and at least two digits");
  end
  if (KeysPerCycle < 2 || (KeysPerCycle & (KeysPerCycle - 1)) != 0) begin : gen_bad_lanes
    $error("argtopk: KeysPerCycle must be a power of two, at least 2");
  end
  if ((MaxKeys & (MaxKeys - 1)) != 0 || MaxKeys < 2 * KeysPerCycle) begin : gen_bad_size
    $error("argtopk: MaxKeys must be a power of two, at least two beats");
  end

  `ASSERT(StartInRange_A, start_valid_i |-> start_count_i != '0 &&
          start_count_i <= SizeBits'(MaxKeys))
  `ASSERT(SelectionHolds_A, sel_valid_o && !sel_ready_i |=> sel_valid_o &&
          $stable({sel_mask_o, sel_beat_o, sel_last_o}))
  `ASSERT(EnoughCandidates_A, state_q == StateScan |-> need_q != '0 && need_q <= candidates)

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
    if (start) naive_need_q <= window_only ? take_clipped : take_clipped - window_clipped;
    if (key_taken) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        if (32'(in_beat_q) * KeysPerCycle + l < NaiveKeys) begin
          naive_keys[(32'(in_beat_q) * KeysPerCycle + l) % NaiveKeys] <=
              ordered[l*KeyBits +: KeyBits];
        end
      end
    end
  end

  always_comb begin
    naive_mask = '0;
    if (flags_valid_q && 32'(count_q) <= NaiveKeys) begin
      for (int unsigned l = 0; l < KeysPerCycle; l++) begin
        naive_mask[l] = naive_selected({1'b0, flags_beat_q, LaneBits'(l)});
      end
    end
  end
  `ASSERT(IsNaive_A, flags_valid_q && 32'(count_q) <= NaiveKeys |-> mask == naive_mask)
`endif
endmodule
