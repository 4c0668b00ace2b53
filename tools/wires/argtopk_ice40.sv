// SPDX-License-Identifier: Apache-2.0
// argtopk with few pins, for a device with fewer pins than argtopk has ports: inputs are read from a chain of
// registers, outputs are registered and sent to one pin. tools/wires/route-argtopk.sh.

module argtopk_ice40 (
  input  logic clk_i,
  input  logic bit_i,
  output logic bit_o
);
  localparam int unsigned MaxKeys = 32768;
  localparam int unsigned KeysPerCycle = 8;
  localparam int unsigned KeyBits = 32;
  localparam int unsigned SizeBits = $clog2(MaxKeys + 1);
  localparam int unsigned BeatBits = $clog2(MaxKeys / KeysPerCycle);
  localparam int unsigned InBits = 4 + 3 * SizeBits + KeysPerCycle * KeyBits;
  localparam int unsigned OutBits = 4 + 2 * BeatBits + KeysPerCycle;

  logic [InBits-1:0]  in_q;
  logic [OutBits-1:0] out;
  logic [OutBits-1:0] out_q;
  logic [OutBits-1:0] chain_q;

  always_ff @(posedge clk_i) begin
    in_q <= {in_q[InBits-2:0], bit_i};
    out_q <= out;
    chain_q <= {chain_q[OutBits-2:0], 1'b0} ^ out_q;
  end
  assign bit_o = chain_q[OutBits-1];

  sparf_argtopk #(
    .MaxKeys(MaxKeys),
    .KeyBits(KeyBits),
    .KeysPerCycle(KeysPerCycle)
  ) u_argtopk (
    .clk_i,
    .rst_ni(in_q[0]),
    .start_valid_i(in_q[1]),
    .start_ready_o(out[0]),
    .start_count_i(in_q[4 +: SizeBits]),
    .start_take_i(in_q[4 + SizeBits +: SizeBits]),
    .start_window_i(in_q[4 + 2 * SizeBits +: SizeBits]),
    .read_valid_o(out[1]),
    .read_beat_o(out[4 +: BeatBits]),
    .key_valid_i(in_q[2]),
    .key_data_i(in_q[InBits-1 -: KeysPerCycle * KeyBits]),
    .sel_valid_o(out[2]),
    .sel_ready_i(in_q[3]),
    .sel_beat_o(out[4 + BeatBits +: BeatBits]),
    .sel_mask_o(out[4 + 2 * BeatBits +: KeysPerCycle]),
    .sel_last_o(out[3])
  );
endmodule
