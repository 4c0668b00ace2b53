// SPDX-License-Identifier: Apache-2.0
// Allocator of the lines of one page ring; the lines are in a memory outside this module. Pages (or runs of
// DRAM lines) reserve lines in order and arrive in any order. A job is a run of pages that belong together.
// Jobs go to the kernel in order, each when all its pages and all earlier pages have arrived; the kernel
// releases their lines in order.
// - reserve_i reserves reserve_lines_i lines when there is space (room_o). page_line_o and page_number_o give
//   the first line and the page's number in the same cycle. With reserve_end_i the page is the last one of a
//   job.
// - job_valid_i describes that job, before its last page arrives. A page ends at most one job, so the queue
//   of jobs always has space. job_o is a register: the kernel decodes a job in the cycle in which it accepts
//   it.
// - Pages that arrive in cycle t, one per port, are processed from t+1 on, one page per cycle, in order.
// - Lines that the kernel releases in cycle t (done_i) count as space from t+3 on.
`include "assert.svh"
module sparf_ring_allocator #(
  parameter int unsigned RingLines = 2048,
  parameter int unsigned Pages = 256,
  parameter int unsigned JobBits = 64,
  parameter int unsigned Ports = 1,
  localparam int unsigned LineBits = $clog2(RingLines),
  localparam int unsigned PageBits = $clog2(Pages)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           reserve_i,
  input  logic [sparf_pkg::RingBits-1:0] reserve_lines_i,
  input  logic                           reserve_end_i,
  output logic                           room_o,
  output logic [LineBits-1:0]            page_line_o,
  output logic [PageBits-1:0]            page_number_o,
  input  logic                           job_valid_i,
  input  logic [JobBits-1:0]             job_i,
  input  logic [Ports-1:0]               arrive_i,
  input  logic [Ports*PageBits-1:0]      arrive_number_i,
  output logic                           job_valid_o,
  input  logic                           job_ready_i,
  output logic [JobBits-1:0]             job_o,
  input  logic                           done_i,
  output logic                           busy_o   // by itself
);
  logic [JobBits-1:0] job_q;
  assign job_o = job_q;

  // Positions with a wrap bit.
  logic [LineBits:0] line_q, line_freed_q, line_room_q;
  logic [PageBits:0] page_q, page_freed_q, page_present_q;
  logic page_room_q;
  // Pages that have arrived and are not looked at yet; whether a page is the last of a job.
  logic [Pages-1:0] arrived_q;
  // Pages are checked for arrival in the order of their requests, even and odd pages alternately. Per half:
  // number of the next page to check, and whether that page has arrived. Each half has two cycles per page.
  localparam logic [PageBits-1:0] Odd = PageBits'(1);
  logic [PageBits-1:0] at_q[2];
  logic [1:0] here_q;
  logic ends_q[Pages];
  logic reserved_q, end_q, present;
  logic [PageBits-1:0] known_q;  // the page whose last line is written next

  assign room_o = page_room_q && line_room_q >= reserve_lines_i[LineBits:0];
  assign page_line_o = line_q[LineBits-1:0];
  assign page_number_o = page_q[PageBits-1:0];
  assign present = here_q[page_present_q[0]];
  for (genvar b = 0; b < 2; b++) begin : gen_half
    logic [PageBits-1:0] at;
    logic here, looked_at;
    assign at = (at_q[b] & ~Odd) | PageBits'(b);
    assign looked_at = present && page_present_q[0] == 1'(b);
    always_comb begin
      here = arrived_q[at];
      for (int unsigned p = 0; p < Ports; p++) begin
        if (arrive_i[p] && arrive_number_i[p*PageBits+:PageBits] == at) here = 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        at_q[b] <= PageBits'(b);
        here_q[b] <= 1'b0;
      end else begin
        if (looked_at) at_q[b] <= at + PageBits'(2);
        here_q[b] <= here && !looked_at;
      end
    end
  end

  // Counts of jobs: written, read ahead, released by the kernel, complete (without one that has just completed),
  // accepted plus one. some_q: complete jobs wait.
  logic [PageBits:0] job_wr_q, job_rd_q, job_done_q, complete_q, next_q;
  logic some_q, more;  // more than one
  // A job is read ahead of the register that offers it (have_q): it waits at the memory's output.
  logic load, move, taken, read_q, have_q, freed_q, completed_q;
  logic [JobBits-1:0] read_job;
  logic [LineBits:0] free_line;
  logic [PageBits:0] free_page;

  assign busy_o = present || load || move;
  assign taken = job_valid_o && job_ready_i;
  assign move = read_q && (!have_q || taken);
  assign load = job_wr_q != job_rd_q && (!read_q || move);
  assign job_valid_o = have_q && (some_q || completed_q);
  assign more = some_q && complete_q != next_q;

  sram_1r1w #(
    .Words(Pages),
    .DataBits(JobBits)
  ) u_jobs (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(job_valid_i),
    .wr_addr_i(job_wr_q[PageBits-1:0]),
    .wr_data_i(job_i),
    .rd_valid_i(load),
    .rd_addr_i(job_rd_q[PageBits-1:0]),
    .rd_data_o(read_job)
  );

  sram_1r1w #(
    .Words(Pages),
    .DataBits(PageBits + 1 + LineBits + 1)
  ) u_ends (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(job_valid_i),
    .wr_addr_i(job_wr_q[PageBits-1:0]),
    .wr_data_i({page_q, line_q}),
    .rd_valid_i(done_i),
    .rd_addr_i(job_done_q[PageBits-1:0]),
    .rd_data_o({free_page, free_line})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      line_q <= '0;
      line_freed_q <= '0;
      line_room_q <= '0;
      page_q <= '0;
      page_freed_q <= '0;
      page_present_q <= '0;
      page_room_q <= 1'b0;
      known_q <= '0;
      arrived_q <= '0;
      reserved_q <= 1'b0;
      job_wr_q <= '0;
      job_rd_q <= '0;
      job_done_q <= '0;
      complete_q <= '0;
      next_q <= (PageBits + 1)'(1);
      some_q <= 1'b0;
      completed_q <= 1'b0;
      read_q <= 1'b0;
      have_q <= 1'b0;
      freed_q <= 1'b0;
    end else begin
      if (reserve_i) begin
        line_q <= line_q + reserve_lines_i[LineBits:0];
        page_q <= page_q + 1'b1;
      end
      // One cycle old; reservations never occur in consecutive cycles.
      line_room_q <= (LineBits + 1)'(RingLines) - (line_q - line_freed_q);
      page_room_q <= page_q - page_freed_q != (PageBits + 1)'(Pages);
      reserved_q <= reserve_i;
      known_q <= page_q[PageBits-1:0];
      for (int unsigned p = 0; p < Ports; p++) begin
        if (arrive_i[p]) arrived_q[arrive_number_i[p*PageBits+:PageBits]] <= 1'b1;
      end
      if (present) begin
        page_present_q <= page_present_q + 1'b1;
        arrived_q[page_present_q[PageBits-1:0]] <= 1'b0;
      end
      if (job_valid_i) job_wr_q <= job_wr_q + 1'b1;
      if (load) job_rd_q <= job_rd_q + 1'b1;
      if (load) read_q <= 1'b1;
      else if (move) read_q <= 1'b0;
      if (move) have_q <= 1'b1;
      else if (taken) have_q <= 1'b0;
      completed_q <= present && ends_q[page_present_q[PageBits-1:0]];
      if (completed_q) complete_q <= complete_q + 1'b1;
      if (taken) next_q <= next_q + 1'b1;
      some_q <= taken ? (completed_q ? some_q : more) : some_q || completed_q;
      freed_q <= done_i;
      if (done_i) job_done_q <= job_done_q + 1'b1;
      if (freed_q) begin
        line_freed_q <= free_line;
        page_freed_q <= free_page;
      end
    end
    if (move) job_q <= read_job;
    end_q <= reserve_end_i;
    if (reserved_q) ends_q[known_q] <= end_q;
  end

`ifdef NEARDATA_ASSERT
  logic twice;
  always_comb begin
    twice = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (arrive_i[p] && arrived_q[arrive_number_i[p*PageBits+:PageBits]]) twice = 1'b1;
    end
  end
`endif
  `HOLDS(ArrivesOnce_A, !twice)

  if ((RingLines & (RingLines - 1)) != 0 || (Pages & (Pages - 1)) != 0 || Pages < 2)
  begin : gen_bad_size
    $error("sparf_ring_allocator: RingLines and Pages must be powers of two");
  end

  `IMPLIES(ReserveFits_A, reserve_i, room_o)
  `IMPLIES(LinesFit_A, reserve_i, 32'(reserve_lines_i) <= RingLines)
  `NEXT(ReserveRests_A, reserve_i, !reserve_i)
  `IMPLIES(DoneHasJob_A, done_i, job_done_q != job_rd_q)
endmodule
