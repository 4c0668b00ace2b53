// SPDX-License-Identifier: Apache-2.0
// sparf_argtopk against the definition of a selection: any keys, any sizes, one selection after the reset, whose keys
// arrive as early as possible. A free input picks one index, and the harness checks whether it is selected.
`include "prove.svh"
module prove_sparf_argtopk #(
  parameter int unsigned MaxKeys = 16,
  parameter int unsigned KeyBits = 8,
  parameter int unsigned KeysPerCycle = 4,
  parameter int unsigned DigitBits = 4,
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned LaneBits = $clog2(KeysPerCycle),
  localparam int unsigned BeatBits = SizeBits - 1 - LaneBits,
  localparam int unsigned Digits = KeyBits / DigitBits,
  // Latency of a selection: preparation, then the formula in the header of the unit for the most keys.
  localparam int unsigned Pass = MaxKeys / KeysPerCycle + sparf_topk_pkg::FetchStages +
                                 sparf_topk_pkg::CountStages,
  localparam int unsigned Longest = 2 + Pass + sparf_topk_pkg::EmitStages - 1 + Digits * Pass
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic [MaxKeys*KeyBits-1:0] keys_i,
  input logic [SizeBits-1:0]        count_i,
  input logic [SizeBits-1:0]        take_i,
  input logic [SizeBits-1:0]        window_i,
  input logic [SizeBits-2:0]        watch_i
);
  // The reset is the first cycle, and everything is picked in it.
  logic running_q, started_q;
  initial running_q = 1'b0;
  logic [MaxKeys*KeyBits-1:0] keys_q;
  logic [SizeBits-1:0] count_q, take_q, window_q;
  logic [SizeBits-2:0] watch_q;
  always @(posedge clk_i) begin
    running_q <= 1'b1;
    started_q <= running_q;
    if (!running_q) begin
      keys_q <= keys_i;
      count_q <= count_i;
      take_q <= take_i;
      window_q <= window_i;
      watch_q <= watch_i;
    end
  end
  always @* assume (rst_ni == running_q);
  `ASSUME(count_q != '0 && count_q <= SizeBits'(MaxKeys))

  logic start, start_ready, read_valid, sel_valid, sel_last;
  logic [BeatBits-1:0] read_beat, sel_beat;
  logic [KeysPerCycle-1:0] sel_mask;
  logic [sparf_topk_pkg::FetchStages-1:0] asked_q;
  logic [BeatBits-1:0] beat_q[sparf_topk_pkg::FetchStages];
  logic [KeysPerCycle*KeyBits-1:0] key_data;
  assign start = running_q && !started_q;
  assign key_data = keys_q[32'(beat_q[sparf_topk_pkg::FetchStages-1]) * KeysPerCycle * KeyBits
                           +: KeysPerCycle * KeyBits];
  always @(posedge clk_i) begin
    asked_q <= rst_ni ? {asked_q[sparf_topk_pkg::FetchStages-2:0], read_valid} : '0;
    beat_q[0] <= read_beat;
    for (int unsigned s = 1; s < sparf_topk_pkg::FetchStages; s++) beat_q[s] <= beat_q[s-1];
  end
  sparf_argtopk #(
    .MaxKeys(MaxKeys),
    .KeyBits(KeyBits),
    .KeysPerCycle(KeysPerCycle),
    .Float(0),
    .DigitBits(DigitBits)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_valid_i(start),
    .start_ready_o(start_ready),
    .start_count_i(count_q),
    .start_take_i(take_q),
    .start_window_i(window_q),
    .read_valid_o(read_valid),
    .read_beat_o(read_beat),
    .key_valid_i(asked_q[sparf_topk_pkg::FetchStages-1]),
    .key_data_i(key_data),
    .sel_valid_o(sel_valid),
    .sel_ready_i(1'b1),
    .sel_beat_o(sel_beat),
    .sel_mask_o(sel_mask),
    .sel_last_o(sel_last)
  );

  // Keys in order: those of the window first, then the larger, then those of lower index.
  logic [SizeBits-1:0] window, begins, ahead;
  logic inside, chosen;
  logic [KeyBits-1:0] own;
  assign window = window_q > count_q ? count_q : window_q;
  assign begins = count_q - window;
  assign own = keys_q[32'(watch_q)*KeyBits +: KeyBits];
  assign inside = {1'b0, watch_q} >= begins;
  always @* begin
    ahead = '0;
    for (int unsigned j = 0; j < MaxKeys; j++) begin
      if (SizeBits'(j) < count_q) begin
        if ((SizeBits'(j) >= begins) != inside) ahead = ahead + SizeBits'(!inside);
        else if (keys_q[j*KeyBits +: KeyBits] > own) ahead = ahead + 1'b1;
        else if (keys_q[j*KeyBits +: KeyBits] == own && j < 32'(watch_q)) ahead = ahead + 1'b1;
      end
    end
    chosen = {1'b0, watch_q} < count_q && ahead < take_q;
  end

  logic here, seen_q, done_q;
  logic [6:0] age_q;
  assign here = sel_valid && sel_beat == watch_q[SizeBits-2:LaneBits] &&
                sel_mask[watch_q[LaneBits-1:0]];
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      done_q <= 1'b0;
      age_q <= '0;
    end else begin
      seen_q <= seen_q || here;
      done_q <= done_q || (sel_valid && sel_last);
      age_q <= age_q + 1'b1;
    end
  end
  `PROVE(Selected, !(sel_valid && sel_last && !done_q) || (seen_q || here) == chosen)
  `PROVE(Once, !(seen_q && here))
  `PROVE(Ends, age_q < 7'(Longest) || done_q || (sel_valid && sel_last))
endmodule
