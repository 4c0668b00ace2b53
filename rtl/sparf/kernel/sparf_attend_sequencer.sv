// SPDX-License-Identifier: Apache-2.0
// Walks over the value jobs and selects the operands of each beat of the attention's lanes: Lanes values of a
// row, and the partial sum that they add to. For every row the queries of the group follow each other, each
// with Words beats. The first of them fetches the query's next logit, and the values are read so that they
// arrive with its weight: ring_read_o Ahead cycles after the decision on a beat, row_o three cycles after that.
// Token i adds to partial sum i mod 8. After a head's last beat and the latency of its sums, finish_o is high
// until release_i.
`include "assert.svh"
module sparf_attend_sequencer #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned RingBits = $clog2(RingLines),
  localparam int unsigned Words = Width / Lanes,
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Words),
  localparam int unsigned PartialBits = sparf_attn_pkg::SlotBits,
  localparam int unsigned AddressBits = $clog2(MaxGroup * sparf_attn_pkg::Partials << WordBits)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   job_valid_i,
  output logic                   job_ready_o,
`ifdef NEARDATA_ASSERT
  input  logic [SlotBits-1:0]    job_slot_i,
`endif
  input  logic [SizeBits-1:0]    job_count_i,
  input  logic [RingBits-1:0]    job_base_i,
  input  logic                   job_last_i,
  output logic                   job_done_o,
  output logic                   ring_read_o,
  output logic [RingBits-1:0]    ring_line_o,
  input  logic [511:0]           ring_data_i,
  // The head whose logits are all stored: its last query; a contract reads its slot, and the job's.
  input  logic                   use_valid_i,
`ifdef NEARDATA_ASSERT
  input  logic [SlotBits-1:0]    use_slot_i,
`endif
  input  logic [GroupBits-1:0]   use_group_i,
  output logic                   fetch_o,        // its next logit
  output logic [GroupBits-1:0]   fetch_query_o,
  // A beat.
  output logic                   row_valid_o,
  output logic [Lanes*16-1:0]    row_o,
  output logic [AddressBits-1:0] row_address_o,  // of its partial sum
  output logic                   row_empty_o,    // which is still empty
  output logic                   finish_o,
  output logic [PartialBits:0]   partials_o,     // partial sums that are not empty
  input  logic                   release_i,
  output logic [2:0]             events_o,       // beat, finish, a job waits for its head
  output logic                   busy_o          // not only waiting, for clock gates
);
  localparam int unsigned PartBits = $clog2(sparf_kernel_pkg::HalvesPerLine / Lanes);
  localparam int unsigned UnitBits = SizeBits + $clog2(Words);
  // From the decision on a beat to the read of its values, which arrive with the weight.
  localparam int unsigned Ahead = sparf_kernel_pkg::WeighStages;
  // From the decision to the write of the beat's sums: data, their register, operands, product, addition.
  localparam int unsigned Flight = Ahead + 2 + 1 + sparf_kernel_pkg::WeightedStages + 1 +
      sparf_kernel_pkg::AddStages + 1;
  // A partial sum is used every eight rows of Words beats, which must be at least sixteen cycles.
  localparam bit EverySecond = Words == 1;

  logic row_valid_q;
  logic [Lanes*16-1:0] row_out_q;
  logic [AddressBits-1:0] row_address_q;
  logic row_empty_q, finish_q;
  logic [PartialBits:0] partials_q;
  assign row_valid_o = row_valid_q;
  assign row_o = row_out_q;
  assign row_address_o = row_address_q;
  assign row_empty_o = row_empty_q;
  assign finish_o = finish_q;
  assign partials_o = partials_q;

  // The job, and the position in it: row, query, word.
  logic valid_q, last_q, closing_q;
  logic [SizeBits-1:0] left_q, row_q;  // rows from this on; the row
  logic row_last_q;
  logic [RingBits-1:0] base_q;
  logic [GroupBits-1:0] query_q;
  logic [WordBits-1:0] word_q;
  // Row of the head, up to 8, and then modulo 8.
  logic [PartialBits-1:0] partial_q;
  logic issue, issued_q, word_last_q, query_last, job_end, taken;
  assign issue = valid_q && use_valid_i && !closing_q && !(EverySecond && issued_q);
  assign query_last = query_q == use_group_i;
  assign job_end = issue && word_last_q && query_last && row_last_q;
  assign job_ready_o = !valid_q || job_end;
  assign taken = job_valid_i && job_ready_o;

  // After a head's last beat the latency of its sums passes, then they are complete.
  logic [$clog2(Flight+1)-1:0] flight_q;
  assign fetch_o = issue && word_q == '0;
  assign fetch_query_o = query_q;
  assign busy_o = (valid_q && use_valid_i) || closing_q || flight_q != '0;
  assign events_o = {valid_q && (!use_valid_i || closing_q), finish_q, issue};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      closing_q <= 1'b0;
      issued_q <= 1'b0;
      finish_q <= 1'b0;
    end else begin
      issued_q <= issue;
      finish_q <= closing_q && flight_q <= ($bits(flight_q))'(1) && !release_i;
      if (taken) valid_q <= 1'b1;
      else if (job_end) valid_q <= 1'b0;
      if (job_end && last_q) closing_q <= 1'b1;
      else if (release_i) closing_q <= 1'b0;
    end
    if (job_end && last_q) flight_q <= ($bits(flight_q))'(Flight);
    else if (flight_q != '0) flight_q <= flight_q - 1'b1;
    if (taken) begin
      left_q <= job_count_i;
      base_q <= job_base_i;
      last_q <= job_last_i;
      row_last_q <= job_count_i == SizeBits'(1);
    end else if (issue && word_last_q && query_last) begin
      left_q <= left_q - 1'b1;
      row_last_q <= left_q == SizeBits'(2);
    end
    // Set with or without an accepted job, so that these registers do not wait for its valid.
    if (job_ready_o) begin
      row_q <= '0;
      query_q <= '0;
      word_q <= '0;
      word_last_q <= Words == 1;
    end else if (issue) begin
      word_q <= word_last_q ? '0 : word_q + 1'b1;
      word_last_q <= Words == 1 || (!word_last_q && 32'(word_q) + 2 == Words);
      if (word_last_q) query_q <= query_last ? '0 : query_q + 1'b1;
      if (word_last_q && query_last) row_q <= row_q + 1'b1;
    end
    if (!rst_ni || release_i) begin
      partials_q <= '0;
      partial_q <= '0;
    end else if (issue && word_last_q && query_last) begin
      partial_q <= partial_q + 1'b1;
      if (!partials_q[PartialBits]) partials_q <= partials_q + 1'b1;
    end
  end

  // Beats after their logits: the addresses of the values, and of the sums.
  localparam int unsigned TagBits = 2 + RingBits + PartBits + AddressBits;
  logic [UnitBits-1:0] unit;
  logic [RingBits-1:0] line;  // a separate variable: Yosys 0.23 derives the width of a cast in a sum from its operand
  logic [Ahead-1:0] ahead_q;
  logic [Ahead*TagBits-1:0] tag_q;
  logic [PartBits-1:0] tag_part, part_q0, part_q1;
  logic [AddressBits-1:0] tag_address, address_q0, address_q1;
  logic tag_end, tag_empty, end_q, empty_q0, empty_q1, data_q, line_valid_q;
  logic [511:0] line_q;
  if (Words > 1) begin : gen_unit
    assign unit = {row_q, word_q};
  end else begin : gen_unit_row
    assign unit = row_q;
  end
  assign line = base_q + RingBits'(unit >> PartBits);
  assign {tag_end, tag_empty, ring_line_o, tag_part, tag_address} =
      tag_q[(Ahead-1)*TagBits +: TagBits];
  assign ring_read_o = ahead_q[Ahead-1];
  assign job_done_o = data_q && end_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_q <= '0;
      data_q <= 1'b0;
      line_valid_q <= 1'b0;
      row_valid_q <= 1'b0;
    end else begin
      ahead_q <= {ahead_q[Ahead-2:0], issue};
      data_q <= ahead_q[Ahead-1];
      line_valid_q <= data_q;
      row_valid_q <= line_valid_q;
    end
    if (issue || ahead_q != '0) begin
      tag_q <= {tag_q[(Ahead-1)*TagBits-1:0],
                job_end, !partials_q[PartialBits], line, unit[PartBits-1:0], query_q, partial_q,
                word_q};
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
      row_out_q <= line_q[32'(part_q1) * Lanes * 16 +: Lanes * 16];
      row_address_q <= address_q1;
      row_empty_q <= empty_q1;
    end
  end

  `IMPLIES(CountInRange_A, job_valid_i, job_count_i != '0)
`ifdef NEARDATA_ASSERT
  logic [SlotBits-1:0] slot_q;
  always_ff @(posedge clk_i) if (taken) slot_q <= job_slot_i;
`endif
  `IMPLIES(JobOfTheHead_A, issue, slot_q == use_slot_i)
endmodule
