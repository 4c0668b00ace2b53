// SPDX-License-Identifier: Apache-2.0
// Softmax over the logits of step 2 and the weighted sum of values. Logits lie in the order in
// which they come, queries of a token side by side; when a head's are all there, value jobs walk
// over its tokens: a logit becomes a weight just before its row of values is read, Lanes values a
// cycle for each query. Token i adds to partial sum i mod 8. After the last row attend_finish folds
// and blends; meanwhile logits of the next head may come, its values wait.
`include "assert.svh"
module attend_unit #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RingBits = $clog2(RingLines)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_write_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic                 head_dense_i,
  input  logic                 head_mean_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SizeBits-1:0]  head_tokens_i,
  input  logic [SizeBits-1:0]  head_take_i,
  input  logic [31:0]          head_scale_i,
  input  logic                 mean_write_i,
  input  logic [SlotBits-1:0]  mean_slot_i,
  input  logic [IndexBits-1:0] mean_dim_i,
  input  logic [31:0]          mean_i,
  input  logic [1:0]           share_write_i,
  input  logic [SlotBits-1:0]  share_slot_i,
  input  logic [GroupBits-1:0] share_query_i,
  input  logic                 share_end_i,
  input  logic [31:0]          share_i,
  input  logic                 fill_valid_i,    // only while fill_ready_o
  output logic                 fill_ready_o,
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic [31:0]          logit_i,
  input  logic [GroupBits-1:0] logit_query_i,
  input  logic                 logit_end_i,
  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  logic [SlotBits-1:0]  job_slot_i,
  input  logic [SizeBits-1:0]  job_count_i,
  input  logic [RingBits-1:0]  job_base_i,
  input  logic                 job_last_i,
  output logic                 job_done_o,
  output logic                 ring_read_o,
  output logic [RingBits-1:0]  ring_line_o,
  input  logic [511:0]         ring_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [SlotBits-1:0]  out_slot_o,
  output logic [GroupBits-1:0] out_query_o,
  output logic [IndexBits:0]   out_line_o,
  output logic [511:0]         out_data_o,
  output logic                 out_last_o,
  output logic [2:0]           events_o         // beat, finish, a job waits for its head
);
  localparam int unsigned Words = Width / Lanes;
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Words);
  localparam int unsigned PartBits = $clog2(sparf_kernel_pkg::HalvesPerLine / Lanes);
  localparam int unsigned UnitBits = SizeBits + $clog2(Words);
  localparam int unsigned AddressBits = SizeBits - 1;  // of a logit
  localparam int unsigned Partials = attn_pkg::Partials;
  localparam int unsigned PartialBits = attn_pkg::SlotBits;
  localparam int unsigned PartialWords = MaxGroup * Partials << WordBits;
  localparam int unsigned PartialAddressBits = $clog2(PartialWords);
  localparam int unsigned TotalBits = attn_pkg::WeightFractionBits + $clog2(MaxKeys) + 1;
  // From the decision on a beat to the read of its values, which come as the weight does.
  localparam int unsigned Ahead = sparf_kernel_pkg::WeighStages;
  // And to the write of its sums: data, their register, operands, product, addition.
  localparam int unsigned Flight = Ahead + 2 + 1 + sparf_kernel_pkg::WeightedStages + 1 +
      sparf_kernel_pkg::AddStages + 1;
  // A partial sum comes again after eight rows of Words beats, and that must be sixteen cycles.
  localparam bit EverySecond = Words == 1;

  // Heads.
  logic [GroupBits-1:0] group_q[Slots];
  logic [Slots-1:0] plain_q, whole;
  logic [31:0] scale_q[Slots];
  logic [SizeBits-1:0] head_used;
  assign head_used = head_dense_i || head_take_i > head_tokens_i ? head_tokens_i : head_take_i;
  whole_heads #(
    .Slots(Slots),
    .GroupBits(GroupBits),
    .CountBits(SizeBits),
    .Limit(MaxKeys / 2)
  ) u_whole (
    .clk_i(clk_i),
    .write_i(head_write_i),
    .slot_i(head_slot_i),
    .group_i(head_group_i),
    .count_i(head_used),
    .whole_o(whole)
  );
  always_ff @(posedge clk_i) begin
    if (head_write_i) begin
      group_q[head_slot_i] <= head_group_i;
      plain_q[head_slot_i] <= head_dense_i || !head_mean_i;
      scale_q[head_slot_i] <= head_scale_i;
    end
  end

  logic fill_half, arrive_half, arrive_upper, use_valid, use_half, use_upper, head_done;
  logic [SlotBits-1:0] slot, next_slot;
  /* verilator lint_off PINCONNECTEMPTY */
  logit_halves #(
    .Slots(Slots)
  ) u_halves (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .fill_valid_i(fill_valid_i),
    .fill_ready_o(fill_ready_o),
    .fill_slot_i(fill_slot_i),
    .fill_whole_i(whole[fill_slot_i]),
    .fill_half_o(fill_half),
    .arrive_end_i(logit_valid_i && logit_end_i),
    .arrive_half_o(arrive_half),
    .arrive_upper_o(arrive_upper),
    .arrive_slot_o(),
    .use_valid_o(use_valid),
    .use_half_o(use_half),
    .use_upper_o(use_upper),
    .use_slot_o(slot),
    .next_slot_o(next_slot),
    .release_i(head_done)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // The head whose values come.
  logic [GroupBits-1:0] group;
  logic plain;
  logic [31:0] scale;
  always_ff @(posedge clk_i) begin
    group <= group_q[next_slot];
    plain <= plain_q[next_slot];
    scale <= scale_q[next_slot];
  end

  // Logits arrive.
  localparam logic [AddressBits-1:0] Upper = AddressBits'(MaxKeys / 2);
  logic [2*MaxGroup*32-1:0] largest;
  logic [AddressBits-1:0] arrived_q;  // of the head
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (logit_valid_i && logit_end_i)) arrived_q <= '0;
    else if (logit_valid_i) arrived_q <= arrived_q + 1'b1;
  end
  largest_logits #(
    .MaxGroup(MaxGroup)
  ) u_largest (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(fill_valid_i),
    .clear_half_i(fill_half),
    .valid_i(logit_valid_i),
    .half_i(arrive_half),
    .query_i(logit_query_i),
    .logit_i(logit_i),
    .largest_o(largest)
  );

  // The job, and where in it: row, query, word.
  logic valid_q, last_q, closing_q;
  logic [SlotBits-1:0] slot_q;
  logic [SizeBits-1:0] left_q, row_q;  // rows from this on; the row
  logic row_last_q;
  logic [RingBits-1:0] base_q;
  logic [GroupBits-1:0] query_q;
  logic [WordBits-1:0] word_q;
  // Of the head: logits used, rows, up to 8, and then modulo 8.
  logic [AddressBits-1:0] used_q;
  logic [PartialBits:0] partials_q;
  logic [PartialBits-1:0] partial_q;
  logic issue, issued_q, word_last_q, query_last, job_end, taken;
  assign issue = valid_q && use_valid && !closing_q && !(EverySecond && issued_q);
  assign query_last = query_q == group;
  assign job_end = issue && word_last_q && query_last && row_last_q;
  assign job_ready_o = !valid_q || job_end;
  assign taken = job_valid_i && job_ready_o;

  // After a head's last beat its sums need some time, then they are finished.
  logic [$clog2(Flight+1)-1:0] flight_q;
  logic finish;
  assign finish = closing_q && flight_q == '0;
  assign events_o = {valid_q && (!use_valid || closing_q), finish, issue};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      closing_q <= 1'b0;
      issued_q <= 1'b0;
    end else begin
      issued_q <= issue;
      if (taken) valid_q <= 1'b1;
      else if (job_end) valid_q <= 1'b0;
      if (job_end && last_q) closing_q <= 1'b1;
      else if (head_done) closing_q <= 1'b0;
    end
    if (job_end && last_q) flight_q <= ($clog2(Flight + 1))'(Flight);
    else if (flight_q != '0) flight_q <= flight_q - 1'b1;
    if (taken) begin
      slot_q <= job_slot_i;
      left_q <= job_count_i;
      base_q <= job_base_i;
      last_q <= job_last_i;
      row_q <= '0;
      row_last_q <= job_count_i == SizeBits'(1);
      query_q <= '0;
      word_q <= '0;
      word_last_q <= Words == 1;
    end else if (issue) begin
      word_q <= word_last_q ? '0 : word_q + 1'b1;
      word_last_q <= Words == 1 || (!word_last_q && 32'(word_q) + 2 == Words);
      if (word_last_q) query_q <= query_last ? '0 : query_q + 1'b1;
      if (word_last_q && query_last) begin
        row_q <= row_q + 1'b1;
        left_q <= left_q - 1'b1;
        row_last_q <= left_q == SizeBits'(2);
      end
    end
    if (!rst_ni || head_done) begin
      used_q <= '0;
      partials_q <= '0;
      partial_q <= '0;
    end else if (issue && word_last_q) begin
      used_q <= used_q + 1'b1;
      if (query_last) begin
        partial_q <= partial_q + 1'b1;
        if (!partials_q[PartialBits]) partials_q <= partials_q + 1'b1;
      end
    end
  end

  // A logit on its way to its weight.
  logic fetch, fetched_q, logit_valid_q;
  logic [31:0] fetched, logit_q, top_q, logit_scale_q, weight;
  logic [GroupBits-1:0] fetched_query_q, logit_query_q, weight_query;
  logic weight_valid;
  logic [attn_pkg::WeightFractionBits:0] fixed;
  assign fetch = issue && word_q == '0;
  sram_1r1w #(
    .Words(MaxKeys),
    .DataBits(32)
  ) u_logits (
    .clk_i(clk_i),
    .wr_valid_i(logit_valid_i),
    .wr_addr_i(arrived_q + (arrive_upper ? Upper : '0)),
    .wr_data_i(logit_i),
    .rd_valid_i(fetch),
    .rd_addr_i(used_q + (use_upper ? Upper : '0)),
    .rd_data_o(fetched)
  );
  attn_weigh #(
    .TagBits(GroupBits)
  ) u_weigh (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(logit_valid_q),
    .logit_i(logit_q),
    .largest_i(top_q),
    .scale_i(logit_scale_q),
    .tag_i(logit_query_q),
    .valid_o(weight_valid),
    .weight_o(weight),
    .fixed_o(fixed),
    .tag_o(weight_query)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      logit_valid_q <= 1'b0;
    end else begin
      fetched_q <= fetch;
      logit_valid_q <= fetched_q;
    end
    if (fetch) fetched_query_q <= query_q;
    logit_q <= fetched;
    top_q <= largest[32'({use_half, fetched_query_q})*32 +: 32];
    logit_scale_q <= scale;
    logit_query_q <= fetched_query_q;
  end

  logic [TotalBits-1:0] total;
  weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits)
  ) u_totals (
    .clk_i(clk_i),
    .clear_i(!rst_ni || head_done),
    .valid_i(weight_valid),
    .query_i(weight_query),
    .fixed_i(fixed),
    .total_query_i(out_query_o),
    .total_o(total)
  );

  // Beats behind their logits: where the values lie, and the sums.
  localparam int unsigned TagBits = 2 + RingBits + PartBits + PartialAddressBits;
  logic [UnitBits-1:0] unit;
  logic [Ahead-1:0] ahead_q;
  logic [Ahead*TagBits-1:0] tag_q;
  logic [PartBits-1:0] tag_part, part_q0, part_q1;
  logic [PartialAddressBits-1:0] tag_address, address_q0, address_q1, address_q2;
  logic tag_end, tag_empty, end_q, empty_q0, empty_q1, empty_q2, data_q, line_valid_q, operand_q;
  logic [511:0] line_q;
  logic [Lanes*16-1:0] values_q;
  logic [31:0] weight_q;
  if (Words > 1) begin : gen_unit
    assign unit = {row_q, word_q};
  end else begin : gen_unit_row
    assign unit = row_q;
  end
  assign {tag_end, tag_empty, ring_line_o, tag_part, tag_address} =
      tag_q[(Ahead-1)*TagBits +: TagBits];
  assign ring_read_o = ahead_q[Ahead-1];
  assign job_done_o = data_q && end_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_q <= '0;
      data_q <= 1'b0;
      line_valid_q <= 1'b0;
      operand_q <= 1'b0;
    end else begin
      ahead_q <= {ahead_q[Ahead-2:0], issue};
      data_q <= ahead_q[Ahead-1];
      line_valid_q <= data_q;
      operand_q <= line_valid_q;
    end
    if (issue || ahead_q != '0) begin
      tag_q <= {tag_q[(Ahead-1)*TagBits-1:0],
                job_end, !partials_q[PartialBits], base_q + RingBits'(unit >> PartBits),
                unit[PartBits-1:0], query_q, partial_q, word_q};
    end
    if (ahead_q[Ahead-1]) begin
      part_q0 <= tag_part;
      address_q0 <= tag_address;
      empty_q0 <= tag_empty;
      end_q <= tag_end;
    end
    if (data_q) begin
      line_q <= ring_data_i;
      part_q1 <= part_q0;
      address_q1 <= address_q0;
      empty_q1 <= empty_q0;
    end
    if (line_valid_q) begin
      values_q <= line_q[32'(part_q1) * Lanes * 16 +: Lanes * 16];
      address_q2 <= address_q1;
      empty_q2 <= empty_q1;
    end
    if (weight_valid) weight_q <= weight;
  end

  logic fold_read, fold_empty, fold_hold_data, fold_hold_sum, fold_add_data, fold_add_sum;
  logic [WordBits-1:0] fold_word;
  logic [PartialBits-1:0] fold_partial;
  logic [Lanes*32-1:0] sums;
  attend_lanes #(
    .Lanes(Lanes),
    .Words(PartialWords)
  ) u_lanes (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .row_valid_i(operand_q),
    .weight_i(weight_q),
    .values_i(values_q),
    .address_i(address_q2),
    .empty_i(empty_q2),
    .fold_read_i(fold_read),
    .fold_address_i({out_query_o, fold_partial, fold_word}),
    .fold_empty_i(fold_empty),
    .fold_hold_data_i(fold_hold_data),
    .fold_hold_sum_i(fold_hold_sum),
    .fold_add_data_i(fold_add_data),
    .fold_add_sum_i(fold_add_sum),
    .sums_o(sums)
  );

  attend_finish #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .TotalBits(TotalBits)
  ) u_finish (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_write_i(head_write_i),
    .head_slot_i(head_slot_i),
    .share_write_i(share_write_i),
    .share_slot_i(share_slot_i),
    .share_query_i(share_query_i),
    .share_end_i(share_end_i),
    .share_i(share_i),
    .mean_write_i(mean_write_i),
    .mean_slot_i(mean_slot_i),
    .mean_dim_i(mean_dim_i),
    .mean_i(mean_i),
    .run_i(finish),
    .slot_i(slot),
    .group_i(group),
    .plain_i(plain),
    .partials_i(partials_q),
    .query_o(out_query_o),
    .total_i(total),
    .done_o(head_done),
    .fold_read_o(fold_read),
    .fold_word_o(fold_word),
    .fold_partial_o(fold_partial),
    .fold_empty_o(fold_empty),
    .fold_hold_data_o(fold_hold_data),
    .fold_hold_sum_o(fold_hold_sum),
    .fold_add_data_o(fold_add_data),
    .fold_add_sum_o(fold_add_sum),
    .sums_i(sums),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_line_o(out_line_o),
    .out_data_o(out_data_o),
    .out_last_o(out_last_o)
  );
  assign out_slot_o = slot;

  `ASSERT(CountInRange_A, job_valid_i |-> job_count_i != '0)
  `ASSERT(JobOfTheHead_A, issue |-> slot_q == slot)
  `ASSERT(WeightInTime_A, weight_valid |-> line_valid_q)
  `ASSERT(AllLogits_A, fill_valid_i |-> !(logit_valid_i && fill_half == arrive_half))
endmodule
