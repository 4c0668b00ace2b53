// SPDX-License-Identifier: Apache-2.0
// sparf_ring_allocator between a client, a memory and a kernel. The client reserves one page at a time, then requests
// it, and announces a job with the request of the job's last page. The memory answers requests in any order. The kernel
// releases jobs in order.
`include "prove.svh"
module prove_sparf_ring_allocator #(
  parameter int unsigned RingLines = 4,
  parameter int unsigned Pages = 4,
  parameter int unsigned Ports = 1,
  localparam int unsigned LineBits = $clog2(RingLines),
  localparam int unsigned PageBits = $clog2(Pages)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                pick_job_i,
  input logic                pick_page_i,
  input logic [LineBits-1:0] watch_line_i,
  input logic                reserve_i,
  input logic [LineBits:0]   lines_i,
  input logic                end_i,
  input logic                requested_i,   // the page's request is accepted
  input logic                job_i,
  input logic [Ports-1:0]    arrive_i,
  input logic [Ports*PageBits-1:0] arrive_number_i,
  input logic                job_ready_i,
  input logic                done_i
);
  `FROM_ANY_STATE
  logic room, job_valid, job, busy, tell, wrong, open_q, ends_q;
  logic [LineBits-1:0] page_line;
  logic [PageBits-1:0] page_number, number_q, page_number_q;
  logic [Pages-1:0] wanted_q;                 // pages that may arrive
  logic [PageBits:0] waiting, taken_q;  // jobs announced and not accepted; accepted and not released
  assign tell = open_q && requested_i && ends_q;

  sparf_ring_allocator #(
    .RingLines(RingLines),
    .Pages(Pages),
    .JobBits(1),
    .Ports(Ports)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .reserve_i(reserve_i),
    .reserve_lines_i(sparf_pkg::RingBits'(lines_i)),
    .reserve_end_i(end_i),
    .room_o(room),
    .page_line_o(page_line),
    .page_number_o(page_number),
    .job_valid_i(tell),
    .job_i(job_i),
    .arrive_i(arrive_i),
    .arrive_number_i(arrive_number_i),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready_i),
    .job_o(job),
    .done_i(done_i),
    .busy_o(busy)
  );
  `ASSUME(!reserve_i || (room && !open_q && lines_i != '0 && lines_i <= (LineBits + 1)'(RingLines)))
  // Pages that arrive, each at one port; one that no job waits for; the one that is watched.
  logic [Pages-1:0] arrives;
  logic unwanted, watched;
  always @* begin
    arrives = '0;
    unwanted = 1'b0;
    watched = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (arrive_i[p]) begin
        if (!wanted_q[arrive_number_i[p*PageBits+:PageBits]]) unwanted = 1'b1;
        if (arrives[arrive_number_i[p*PageBits+:PageBits]]) unwanted = 1'b1;
        if (arrive_number_i[p*PageBits+:PageBits] == page_number_q) watched = 1'b1;
        arrives[arrive_number_i[p*PageBits+:PageBits]] = 1'b1;
      end
    end
  end
  `ASSUME(!unwanted)
  `ASSUME(!done_i || taken_q != '0)

  logic takes;
  assign takes = job_valid && job_ready_i;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      wanted_q <= '0;
      taken_q <= '0;
    end else begin
      if (reserve_i) open_q <= 1'b1;
      else if (requested_i) open_q <= 1'b0;
      wanted_q <= (wanted_q | (Pages'(open_q && requested_i) << number_q)) &
          ~arrives;
      taken_q <= taken_q + (PageBits + 1)'(takes) - (PageBits + 1)'(done_i);
    end
    if (reserve_i) begin
      number_q <= page_number;
      ends_q <= end_i;
    end
  end

  word_watch #(
    .DataBits(1),
    .CountBits(PageBits + 1)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_job_i),
    .push_i(tell),
    .push_data_i(job_i),
    .pop_i(takes),
    .pop_data_i(job),
    .inside_o(waiting),
    .wrong_o(wrong)
  );

  // An arbitrary page and an arbitrary line, from their reservation until their job is released: the number of earlier
  // jobs that are not accepted, and not released.
  logic page_q, arrived_q, line_q;
  logic [LineBits-1:0] watch_line_q;
  logic [PageBits:0] jobs_ahead_q, page_done_q, line_done_q, held;
  logic covers;
  assign held = waiting + taken_q - (PageBits + 1)'(done_i);  // jobs announced and not released
  assign covers = reserve_i &&
      (LineBits + 1)'(LineBits'(watch_line_q - page_line)) < lines_i;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      page_q <= 1'b0;
      line_q <= 1'b0;
      watch_line_q <= watch_line_i;
    end else begin
      if (page_q) begin
        if (watched) arrived_q <= 1'b1;
        if (takes && jobs_ahead_q != '0) jobs_ahead_q <= jobs_ahead_q - 1'b1;
        if (done_i) page_done_q <= page_done_q - 1'b1;
        if (done_i && page_done_q == '0) page_q <= 1'b0;
      end else if (reserve_i && pick_page_i) begin
        page_q <= 1'b1;
        arrived_q <= 1'b0;
        page_number_q <= page_number;
        jobs_ahead_q <= waiting - (PageBits + 1)'(takes);
        page_done_q <= held;
      end
      if (covers) begin
        line_q <= 1'b1;
        line_done_q <= held;
      end else if (line_q && done_i) begin
        line_q <= line_done_q != '0;
        line_done_q <= line_done_q - 1'b1;
      end
    end
  end

  // Cycles in which every page has arrived and no announced job is offered; in which the ring is empty.
  logic [3:0] without_offer_q, empty_q;
  logic [PageBits:0] unfinished_q;  // pages of jobs that are not announced yet
  logic offered_q, offer_q;
  always @(posedge clk_i) begin
    if (!rst_ni || tell) unfinished_q <= '0;
    else if (reserve_i) unfinished_q <= 1'b1;
    if (!rst_ni || waiting == '0 || wanted_q != '0 || open_q || unfinished_q != '0 || job_valid)
      without_offer_q <= '0;
    else if (without_offer_q != '1) without_offer_q <= without_offer_q + 1'b1;
    if (!rst_ni || waiting != '0 || taken_q != '0 || open_q || unfinished_q != '0 || reserve_i)
      empty_q <= '0;
    else if (empty_q != '1) empty_q <= empty_q + 1'b1;
    offered_q <= rst_ni && job_valid && !job_ready_i;
    offer_q <= job;
  end

  `PROVE(JobsInOrder, !wrong)
  `PROVE(NoneInvented, !job_valid || waiting != '0)
  `PROVE(NoJobBeforeItsPages, !(page_q && jobs_ahead_q == '0 && job_valid && !arrived_q))
  `PROVE(LineOwnedOnce, !(covers && line_q))
  `PROVE(NumberOwnedOnce, !(reserve_i && page_q && page_number == page_number_q))
  `PROVE(OfferHolds, !offered_q || (job_valid && job == offer_q))
  `PROVE(Progress, without_offer_q < 4'(Pages + 4))
  `PROVE(RoomWhenEmpty, empty_q < 4'd4 || !(lines_i <= (LineBits + 1)'(RingLines)) || room)
endmodule
