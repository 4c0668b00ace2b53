// SPDX-License-Identifier: Apache-2.0
// sparf_sel_buffer between a client that reserves space for a head (at least three cycles apart, and at most free_o of
// the previous cycle), a kernel that sends the beats of heads in the order of their reservations, at most as many as
// reserved, and two readers that read the beats of a head and then report its end.
`include "prove.svh"
module prove_sparf_sel_buffer #(
  parameter int unsigned Beats = 4,
  parameter int unsigned Heads = 2,
  localparam int unsigned HeadBits = $clog2(Heads),
  localparam int unsigned PtrBits = $clog2(Beats)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic [1:0]                      pick_i,
  input logic                            reserve_i,
  input logic [PtrBits:0]                reserve_beats_i,
  input logic                            sel_valid_i,
  input logic [PtrBits-1:0]              sel_beat_i,
  input logic [sparf_pkg::SelTokens-1:0] sel_mask_i,
  input logic                            end_i,      // the kernel has sent all of its head
  input logic [1:0]                      rd_i,
  input logic [1:0]                      done_i
);
  `FROM_ANY_STATE
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned ST = sparf_pkg::SelTokens;
  logic [CB-1:0] free;
  logic [1:0] rd_valid;
  logic [2*CB-1:0] rd_beat;
  logic [2*ST-1:0] rd_mask;
  logic [PtrBits:0] beats_q, beats;  // of the last reservation, a cycle longer
  logic [1:0] reserved_q;            // in the last cycle, in the one before
  assign beats = reserved_q[0] ? beats_q : reserve_beats_i;
  sparf_sel_buffer #(
    .Beats(Beats),
    .Heads(Heads)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .reserve_i(reserve_i),
    .reserve_beats_i(CB'(beats)),
    .free_o(free),
    .sel_valid_i(sel_valid_i),
    .sel_beat_i(CB'(sel_beat_i)),
    .sel_mask_i(sel_mask_i),
    .rd_valid_o(rd_valid),
    .rd_i(rd_i),
    .rd_beat_o(rd_beat),
    .rd_mask_o(rd_mask),
    .rd_done_i(done_i)
  );

  // Counts of heads: reserved, received, and reported by each reader. Of each head, its reserved space and its beats.
  logic [HeadBits:0] reserve_q, give_q, release_q, report_q[2];
  logic [PtrBits:0] owed_q, rooms_q[Heads], kept_q[Heads], read_q[2];
  logic [CB-1:0] free_q;
  logic keeps, gives, releases, late_q;
  logic [1:0] rests_q, done_q;
  assign keeps = sel_valid_i && sel_mask_i != '0;
  assign gives = give_q != reserve_q;
  always @* begin
    releases = 1'b1;
    for (int unsigned r = 0; r < 2; r++) begin
      if (report_q[r] == release_q && !done_i[r]) releases = 1'b0;
    end
  end
  `ASSUME(!reserve_i || (reserved_q == '0 && beats != '0 && CB'(beats) <= free_q &&
          reserve_q - release_q < (HeadBits + 1)'(Heads)))
  `ASSUME(!sel_valid_i || gives)
  `ASSUME(!keeps || kept_q[give_q[HeadBits-1:0]] < rooms_q[give_q[HeadBits-1:0]])
  `ASSUME(!end_i || gives)
  for (genvar r = 0; r < 2; r++) begin : gen_reader
    `ASSUME(!rd_i[r] || (rd_valid[r] && !rests_q[r] && report_q[r] != reserve_q &&
            read_q[r] < kept_q[report_q[r][HeadBits-1:0]]))
    `ASSUME(!done_i[r] || (!done_q[r] && report_q[r] != give_q &&
            read_q[r] == kept_q[report_q[r][HeadBits-1:0]] && !rd_i[r]))
  end
  always @(posedge clk_i) begin
    if (reserve_i) beats_q <= beats;
    free_q <= free;
    if (!rst_ni) begin
      {reserve_q, give_q, release_q} <= '0;
      {rests_q, done_q, late_q} <= '0;
      reserved_q <= '1;
      owed_q <= '0;
      for (int unsigned r = 0; r < 2; r++) begin
        report_q[r] <= '0;
        read_q[r] <= '0;
      end
    end else begin
      reserved_q <= {reserved_q[0], reserve_i};
      late_q <= reserve_i && releases;
      rests_q <= rd_i;
      done_q <= done_i;
      owed_q <= owed_q + (reserve_i ? beats : '0) -
          (releases ? rooms_q[release_q[HeadBits-1:0]] : '0);
      if (reserve_i) begin
        reserve_q <= reserve_q + 1'b1;
        rooms_q[reserve_q[HeadBits-1:0]] <= beats;
        kept_q[reserve_q[HeadBits-1:0]] <= '0;
      end
      if (keeps) kept_q[give_q[HeadBits-1:0]] <= kept_q[give_q[HeadBits-1:0]] + 1'b1;
      if (end_i) give_q <= give_q + 1'b1;
      for (int unsigned r = 0; r < 2; r++) begin
        if (rd_i[r]) read_q[r] <= read_q[r] + 1'b1;
        if (done_i[r]) begin
          report_q[r] <= report_q[r] + 1'b1;
          read_q[r] <= '0;
        end
      end
      if (releases) release_q <= release_q + 1'b1;
    end
  end

  // A reservation in the cycle of a release is counted a cycle later.
  logic [PtrBits:0] room;
  assign room = (PtrBits + 1)'(Beats) - owed_q + (late_q ? beats_q : '0);

  // The beats that a reader has not read, and its reads: data arrive two cycles later.
  logic [PtrBits+1:0] unread[2];
  logic [1:0] wrong;
  for (genvar r = 0; r < 2; r++) begin : gen_watch
    logic [1:0] reads_q;
    logic [PtrBits+1:0] inside;
    assign unread[r] = inside - {{(PtrBits + 1){1'b0}}, reads_q[0]} - {{(PtrBits + 1){1'b0}}, reads_q[1]};
    always @(posedge clk_i) reads_q <= rst_ni ? {reads_q[0], rd_i[r]} : '0;
    word_watch #(
      .DataBits(PtrBits + ST),
      .CountBits(PtrBits + 2)
    ) u_watch (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .pick_i(pick_i[r]),
      .push_i(keeps),
      .push_data_i({sel_beat_i, sel_mask_i}),
      .pop_i(reads_q[1]),
      .pop_data_i({rd_beat[r*CB+:PtrBits], rd_mask[r*ST+:ST]}),
      .inside_o(inside),
      .wrong_o(wrong[r])
    );
  end

  `PROVE(InOrder, wrong == '0)
  `PROVE(NoneInvented, (!rd_valid[0] || rests_q[0] || unread[0] != '0) &&
         (!rd_valid[1] || rests_q[1] || unread[1] != '0))
  `PROVE(Offered, (rd_valid[0] || unread[0] == '0) && (rd_valid[1] || unread[1] == '0))
  `PROVE(Fits, unread[0] <= (PtrBits + 2)'(Beats) && unread[1] <= (PtrBits + 2)'(Beats))
  `PROVE(Room, free[PtrBits:0] == room && free >> (PtrBits + 1) == '0)
  `PROVE(ReservationLimit, owed_q <= (PtrBits + 1)'(Beats))
endmodule
