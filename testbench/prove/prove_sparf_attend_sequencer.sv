// SPDX-License-Identifier: Apache-2.0
// sparf_attend_sequencer under any jobs, with heads whose logits are complete at any time and which are released some
// time after they are finished. The specification has the row, query and word of the next beat; it follows one
// arbitrary beat from its decision to the lanes. Latencies of the arithmetic are shorter than in the RTL.
`include "prove.svh"
module prove_sparf_attend_sequencer #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Width = 4,
  parameter int unsigned MaxKeys = 16,
  parameter int unsigned RingLines = 8,
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned RingBits = $clog2(RingLines)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                pick_i,
  input logic                job_valid_i,
  input logic [SizeBits-1:0] job_count_i,
  input logic [RingBits-1:0] job_base_i,
  input logic                job_last_i,
  input logic [1:0]          ring_data_i,   // a bit of each part of a line
  input logic                use_i,         // the logits of a head are complete
  input logic                use_group_i,
  input logic                release_i,
  input logic [4:0]          address_i      // of a partial sum, any one
);
  localparam int unsigned MaxGroup = 2;
  localparam int unsigned Words = Width / Lanes;
  localparam int unsigned Ahead = sparf_kernel_pkg::WeighStages;
  localparam int unsigned Flight = Ahead + 2 + 1 + sparf_kernel_pkg::WeightedStages + 1 +
      sparf_kernel_pkg::AddStages + 1;
  localparam bit EverySecond = Words == 1;
  logic job_ready, job_done, ring_read, fetch, fetch_query, row_valid, row_empty, finish, busy;
  logic [RingBits-1:0] ring_line;
  logic [Lanes*16-1:0] row;
  logic [4:0] row_address;
  logic [3:0] partials;
  logic [2:0] events;
  logic [511:0] ring_data;
  logic use_q, group_q;
  always @* begin
    ring_data = '0;
    ring_data[0] = ring_data_i[0];
    ring_data[Lanes*16] = ring_data_i[1];
  end
  sparf_attend_sequencer #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(2),
    .RingLines(RingLines)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .job_valid_i(job_valid_i),
    .job_ready_o(job_ready),
    .job_slot_i('0),
    .job_count_i(job_count_i),
    .job_base_i(job_base_i),
    .job_last_i(job_last_i),
    .job_done_o(job_done),
    .ring_read_o(ring_read),
    .ring_line_o(ring_line),
    .ring_data_i(ring_data),
    .use_valid_i(use_q),
    .use_slot_i('0),
    .use_group_i(group_q),
    .fetch_o(fetch),
    .fetch_query_o(fetch_query),
    .row_valid_o(row_valid),
    .row_o(row),
    .row_address_o(row_address),
    .row_empty_o(row_empty),
    .finish_o(finish),
    .partials_o(partials),
    .release_i(release_i),
    .events_o(events),
    .busy_o(busy)
  );
  `ASSUME(!job_valid_i || (job_count_i != '0 && job_count_i <= SizeBits'(MaxKeys)))
  `ASSUME(!release_i || finish)

  // The job and the head, and the next beat.
  logic have_q, last_q, closing_q, query_q, word_q, issued_q, issue, word_last, row_ends, job_ends, head_ends;
  logic [SizeBits-1:0] count_q, row_q;
  logic [RingBits-1:0] base_q, line;
  logic [3:0] rows_q;     // of the head, eight at most
  logic [2:0] partial_q;
  logic [4:0] address;
  logic [SizeBits:0] unit;
  logic [5:0] since_q;    // cycles since the head's last beat
  assign issue = have_q && use_q && !closing_q && !(EverySecond && issued_q);
  assign word_last = Words == 1 || word_q;
  assign row_ends = word_last && query_q == group_q;
  assign job_ends = issue && row_ends && row_q + 1'b1 == count_q;
  assign head_ends = job_ends && last_q;
  assign address = {query_q, partial_q, word_q};
  assign unit = Words == 1 ? {1'b0, row_q} : {row_q, word_q};
  assign line = base_q + unit[RingBits:1];
  always @(posedge clk_i) begin
    issued_q <= rst_ni && issue;
    if (!rst_ni || release_i || !use_q) begin
      use_q <= rst_ni && use_i;
      group_q <= use_group_i;
    end
    if (!rst_ni) begin
      have_q <= 1'b0;
      closing_q <= 1'b0;
    end else begin
      if (job_valid_i && job_ready) have_q <= 1'b1;
      else if (job_ends) have_q <= 1'b0;
      if (head_ends) closing_q <= 1'b1;
      else if (release_i) closing_q <= 1'b0;
    end
    if (head_ends) since_q <= 6'd1;
    else if (since_q != '1) since_q <= since_q + 1'b1;
    if (job_valid_i && job_ready) begin
      count_q <= job_count_i;
      base_q <= job_base_i;
      last_q <= job_last_i;
      row_q <= '0;
      query_q <= 1'b0;
      word_q <= 1'b0;
    end else if (issue) begin
      word_q <= !word_last;
      if (word_last) query_q <= !row_ends;
      if (row_ends) row_q <= row_q + 1'b1;
    end
    if (!rst_ni || release_i) begin
      rows_q <= '0;
      partial_q <= '0;
    end else if (issue && row_ends) begin
      partial_q <= partial_q + 1'b1;
      if (rows_q < 4'd8) rows_q <= rows_q + 1'b1;
    end
  end

  // Any beat in flight, and the beats before it.
  logic watching_q, watch_end_q, watch_empty_q, watch_part_q, watch_data_q;
  logic [RingBits-1:0] watch_line_q;
  logic [4:0] watch_address_q;
  logic [5:0] age_q;  // cycles since its decision
  logic [Ahead+2:0] issues_q, ends_q;
  logic line_right, row_right;
  assign line_right = ring_read && ring_line == watch_line_q;
  assign row_right = row_valid && row_address == watch_address_q && row_empty == watch_empty_q &&
      row[0] == watch_data_q;
  always @(posedge clk_i) begin
    issues_q <= rst_ni ? {issues_q[Ahead+1:0], issue} : '0;
    ends_q <= rst_ni ? {ends_q[Ahead+1:0], job_ends} : '0;
    if (!rst_ni) watching_q <= 1'b0;
    else if (watching_q) watching_q <= age_q != 6'(Ahead + 3);
    else if (issue && pick_i) watching_q <= 1'b1;
    if (!watching_q) begin
      watch_line_q <= line;
      watch_part_q <= unit[0];
      watch_address_q <= address;
      watch_empty_q <= rows_q < 4'd8;
      age_q <= 6'd1;
    end else begin
      age_q <= age_q + 1'b1;
      if (age_q == 6'(Ahead + 1)) watch_data_q <= ring_data_i[watch_part_q];
    end
  end

  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic \u_dut.valid_q , \u_dut.last_q , \u_dut.closing_q , \u_dut.row_last_q ;
  (* hierconn *) logic \u_dut.query_q , \u_dut.word_q , \u_dut.word_last_q ;
  (* hierconn *) logic [SizeBits-1:0] \u_dut.left_q , \u_dut.row_q ;
  (* hierconn *) logic [RingBits-1:0] \u_dut.base_q ;
  (* hierconn *) logic [2:0] \u_dut.partial_q ;

  // A partial sum, any one: cycles since it was added to, sixteen at most, and beats from then to the next one.
  localparam int unsigned Loop = 8 * Words;
  logic added_q;
  logic [4:0] next_sum, address_q, ago_q;
  logic [5:0] loop, next, watched, distance, least;
  function automatic logic [5:0] place(input logic [4:0] sum, input logic group);
    place = group ? {2'd0, sum[3:1], sum[4]} : {3'd0, sum[3:1]};
    if (Words == 2) place = {place[4:0], sum[0]};
  endfunction
  assign next_sum = {\u_dut.query_q , \u_dut.partial_q , \u_dut.word_q };
  always @* begin
    loop = group_q ? 6'(2 * Loop) : 6'(Loop);
    next = place(next_sum, group_q);
    watched = place(address_q, group_q);
    distance = next > watched ? next - watched : next + loop - watched;
    least = distance;
    if (EverySecond) least = distance + distance - {5'd0, issued_q};
    if (least > 6'd16) least = 6'd16;
  end
  always @(posedge clk_i) begin
    if (!rst_ni) address_q <= address_i;
    if (!rst_ni || release_i) added_q <= 1'b0;
    else if (events[0] && next_sum == address_q) added_q <= 1'b1;
    if (events[0] && next_sum == address_q) ago_q <= 5'd1;
    else if (ago_q < 5'd16) ago_q <= ago_q + 1'b1;
  end

  logic in_step;
  assign in_step = \u_dut.valid_q == have_q && \u_dut.closing_q == closing_q &&
      \u_dut.partial_q == partial_q && (!closing_q || use_q) &&
      (!have_q || (\u_dut.last_q == last_q && \u_dut.base_q == base_q && \u_dut.query_q == query_q &&
                   \u_dut.word_q == word_q && \u_dut.word_last_q == word_last && \u_dut.row_q == row_q &&
                   \u_dut.left_q == count_q - row_q && \u_dut.left_q != '0 &&
                   \u_dut.row_last_q == (\u_dut.left_q == SizeBits'(1)) && row_q < count_q &&
                   (Words > 1 || !word_q) && (use_q || (!query_q && !word_q)) &&
                   (!closing_q || (row_q == '0 && !query_q && !word_q)) && (group_q || !query_q || !use_q)));

  // Beats in flight to the lanes, one stage per cycle.
  localparam int unsigned TagBits = 2 + RingBits + 1 + 5;
  (* hierconn *) logic [Ahead-1:0] \u_dut.ahead_q ;
  (* hierconn *) logic [Ahead*TagBits-1:0] \u_dut.tag_q ;
  (* hierconn *) logic \u_dut.data_q , \u_dut.line_valid_q , \u_dut.end_q , \u_dut.issued_q ;
  (* hierconn *) logic \u_dut.part_q0 , \u_dut.part_q1 , \u_dut.empty_q0 , \u_dut.empty_q1 ;
  (* hierconn *) logic [4:0] \u_dut.address_q0 , \u_dut.address_q1 ;
  (* hierconn *) logic [511:0] \u_dut.line_q ;
  (* hierconn *) logic [$clog2(Flight+1)-1:0] \u_dut.flight_q ;
  logic [Ahead*TagBits-1:0] tags;
  logic in_flight, counts, distance_right, holds;
  always @* begin
    tags = \u_dut.tag_q ;
    in_flight = \u_dut.ahead_q == issues_q[Ahead-1:0] && \u_dut.data_q == issues_q[Ahead] &&
        \u_dut.line_valid_q == issues_q[Ahead+1] && row_valid == issues_q[Ahead+2] &&
        \u_dut.issued_q == issued_q && issues_q[0] == issued_q && (ends_q & ~issues_q) == '0 &&
        (!\u_dut.data_q || \u_dut.end_q == ends_q[Ahead]);
    for (int unsigned s = 0; s < Ahead; s++) begin
      if (issues_q[s] && tags[s*TagBits+TagBits-1] != ends_q[s]) in_flight = 1'b0;
      if (watching_q && age_q == 6'(s + 1) && (!issues_q[s] ||
          tags[s*TagBits+:TagBits-1] != {watch_empty_q, watch_line_q, watch_part_q, watch_address_q}))
        in_flight = 1'b0;
    end
    if (watching_q) begin
      if (age_q == '0 || age_q > 6'(Ahead + 3)) in_flight = 1'b0;
      if (age_q == 6'(Ahead + 1) && (!issues_q[Ahead] || \u_dut.empty_q0 != watch_empty_q ||
          \u_dut.part_q0 != watch_part_q || \u_dut.address_q0 != watch_address_q)) in_flight = 1'b0;
      if (age_q == 6'(Ahead + 2) && (!issues_q[Ahead+1] || \u_dut.empty_q1 != watch_empty_q ||
          \u_dut.part_q1 != watch_part_q || \u_dut.address_q1 != watch_address_q ||
          \u_dut.line_q [watch_part_q ? Lanes * 16 : 0] != watch_data_q)) in_flight = 1'b0;
      if (age_q == 6'(Ahead + 3) && !row_right) in_flight = 1'b0;
    end
    counts = partials == rows_q && rows_q <= 4'd8 && (!added_q || use_q) &&
        (!closing_q || 32'(\u_dut.flight_q ) == (32'(since_q) > Flight ? 0 : Flight + 1 - 32'(since_q))) &&
        (!closing_q || since_q != '0) && finish == (closing_q && since_q > 6'(Flight)) &&
        (!added_q || ((address_q[4] == 1'b0 || group_q) && (Words > 1 || !address_q[0]) &&
                      (have_q || (!\u_dut.query_q && !\u_dut.word_q ))));
    distance_right = !added_q || closing_q || !use_q || {1'b0, ago_q} >= least;
    holds = in_step && in_flight && counts && distance_right;
  end

  `FROM_INVARIANT(holds)
  `PROVE(InStep, in_step && counts)
  `PROVE(InFlight, in_flight)
  `PROVE(Beats, events[0] == issue && busy == ((have_q && use_q) || closing_q || \u_dut.flight_q != '0))
  `PROVE(Ready, job_ready == (!have_q || job_ends))
  `PROVE(Fetch, fetch == (issue && !word_q) && (!fetch || fetch_query == query_q))
  `PROVE(InTime, ring_read == issues_q[Ahead-1] && row_valid == issues_q[Ahead+2])
  `PROVE(Line, !watching_q || age_q != 6'(Ahead) || line_right)
  `PROVE(Row, !watching_q || age_q != 6'(Ahead + 3) || row_right)
  `PROVE(DoneOnce, job_done == ends_q[Ahead])
  `PROVE(Finish, finish == (closing_q && since_q > 6'(Flight)))
  `PROVE(Partials, partials == rows_q)
  `PROVE(AdditionDistance, distance_right)
endmodule
