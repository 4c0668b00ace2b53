// SPDX-License-Identifier: Apache-2.0
// Buffer of the selections of a kernel's heads. The kernel writes selections in the order in which their
// step 1 was requested; the two walkers of step 2 read them in that order, each at its own pace. Beats
// without a selection are dropped. Space is reserved for a head before its step 1 (reserve_i) and
// released when both walkers have finished the head, so the kernel never waits here. A beat that arrives
// in cycle t can be read from t+1 on; its data appear two cycles after the read. Reservations, reads of
// one reader and its done strobes never occur in two consecutive cycles, so the counters are updated one
// cycle later.
`include "assert.svh"
module sparf_sel_buffer #(
  parameter int unsigned Beats = 4096,  // of a head, at most
  parameter int unsigned Heads = 8
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            reserve_i,
  input  logic [sparf_pkg::CountBits-1:0] reserve_beats_i,  // stable for a cycle after reserve_i
  output logic [sparf_pkg::CountBits-1:0] free_o,           // beats, in the next cycle
  input  logic                            sel_valid_i,
  input  logic [sparf_pkg::CountBits-1:0] sel_beat_i,
  input  logic [sparf_pkg::SelTokens-1:0] sel_mask_i,
  output logic [1:0]                      rd_valid_o,       // of each reader
  input  logic [1:0]                      rd_i,
  output logic [2*sparf_pkg::CountBits-1:0] rd_beat_o,
  output logic [2*sparf_pkg::SelTokens-1:0] rd_mask_o,
  input  logic [1:0]                      rd_done_i         // it is through with a head
);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned ST = sparf_pkg::SelTokens;
  localparam int unsigned PtrBits = $clog2(Beats);
  localparam int unsigned HeadBits = $clog2(Heads);
  localparam int unsigned KeptBits = PtrBits + ST;

  logic [1:0] rd_valid_q;
  assign rd_valid_o = rd_valid_q;

  logic keep;
  logic [PtrBits:0] wr_q;
  assign keep = sel_valid_i && sel_mask_i != '0;

  // Reservations in order; the reservation of a head is released when both readers have reported the head. ahead_q: per
  // reader, one bit for each head that it has reported and the other reader has not.
  logic [PtrBits:0] reserved_q[Heads];
  logic [PtrBits:0] free_q, front_q;
  logic [HeadBits-1:0] reserve_q, release_q;
  logic [Heads-1:0] ahead_q[2];
  logic release_head;
  assign free_o = CB'(free_q);
  assign release_head = (ahead_q[0][0] || rd_done_i[0]) && (ahead_q[1][0] || rd_done_i[1]);

`ifdef NEARDATA_ASSERT
  logic [1:0] unread;
`endif
  for (genvar r = 0; r < 2; r++) begin : gen_reader
    logic [PtrBits:0] rd_q;
    logic [KeptBits-1:0] data, data_q;
    assign rd_mask_o[r*ST+:ST] = data_q[ST-1:0];
    assign rd_beat_o[r*CB+:CB] = CB'(data_q[KeptBits-1:ST]);

    sram_1r1w #(
      .Words(Beats),
      .DataBits(KeptBits)
    ) u_beats (
      .clk_i(clk_i),
      `RESET_OF_CONTRACTS
      .wr_valid_i(keep),
      .wr_addr_i(wr_q[PtrBits-1:0]),
      .wr_data_i({sel_beat_i[PtrBits-1:0], sel_mask_i}),
      .rd_valid_i(rd_i[r]),
      .rd_addr_i(rd_q[PtrBits-1:0]),
      .rd_data_o(data)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        rd_q <= '0;
        rd_valid_q[r] <= 1'b0;
        ahead_q[r] <= '0;
      end else begin
        if (rd_i[r]) rd_q <= rd_q + 1'b1;
        rd_valid_q[r] <= keep || wr_q != rd_q;
        if (rd_done_i[r] && !release_head) ahead_q[r] <= {ahead_q[r][Heads-2:0], 1'b1};
        if (release_head && !rd_done_i[r]) ahead_q[r] <= ahead_q[r] >> 1;
      end
      data_q <= data;
    end
`ifdef NEARDATA_ASSERT
    assign unread[r] = wr_q != rd_q;
`endif
  end

  // A reservation in the cycle of a release waits for the next cycle.
  logic late_q, taken;
  logic [PtrBits:0] more, less;
  assign taken = (reserve_i || late_q) && !release_head;
  assign more = free_q + front_q;
  assign less = (PtrBits + 1)'(({free_q, 1'b1} + {~reserve_beats_i[PtrBits:0], 1'b1}) >> 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q <= '0;
      free_q <= (PtrBits + 1)'(Beats);
      late_q <= 1'b0;
      reserve_q <= '0;
      release_q <= '0;
    end else begin
      if (keep) wr_q <= wr_q + 1'b1;
      late_q <= reserve_i && release_head;
      if (release_head) free_q <= more;
      else if (taken) free_q <= less;
      if (reserve_i) reserve_q <= reserve_q + 1'b1;
      if (release_head) release_q <= release_q + 1'b1;
    end
    front_q <= reserved_q[release_q];
    if (reserve_i) reserved_q[reserve_q] <= reserve_beats_i[PtrBits:0];
  end

  if (Heads < 2 || (Heads & (Heads - 1)) != 0 || (Beats & (Beats - 1)) != 0) begin : gen_bad_size
    $error("sparf_sel_buffer: Heads and Beats must be powers of two");
  end

  `IMPLIES(ReadKept_A, rd_i != '0, (rd_i & ~unread) == '0)
  `NEXT(KeyReadRests_A, rd_i[0], !rd_i[0])
  `NEXT(ValueReadRests_A, rd_i[1], !rd_i[1])
  `NEXT(KeyDoneRests_A, rd_done_i[0], !rd_done_i[0])
  `NEXT(ValueDoneRests_A, rd_done_i[1], !rd_done_i[1])
  `IMPLIES(ReserveFits_A, reserve_i, 32'(reserve_beats_i) <= Beats)
`ifdef NEARDATA_ASSERT
  logic [CB-1:0] reserved_beats_q;
  always_ff @(posedge clk_i) if (reserve_i) reserved_beats_q <= reserve_beats_i;
`endif
  `NEXT(ReserveRests_A, reserve_i, !reserve_i && reserve_beats_i == reserved_beats_q)
  `NEXT(ReleaseRests_A, release_head, !release_head)
  `IMPLIES(KeptInRange_A, sel_valid_i, 32'(sel_beat_i) < Beats)
endmodule
