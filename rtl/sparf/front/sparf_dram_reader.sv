// SPDX-License-Identifier: Apache-2.0
// Reads lines of controller DRAM for several readers, one run of lines at a time, round-robin among the
// readers. A line is requested only when there is space for its answer (at most Lines answers wait), so answers
// are always accepted. Answers leave in the order of the requests, each to the reader of its run, with its
// position in the run. The arbiter decides in the cycle before it accepts a run. A reader keeps the note of a
// run valid for one cycle after the run.
`include "assert.svh"
module sparf_dram_reader #(
  parameter int unsigned Readers = 7,
  parameter int unsigned Lines = 64,
  parameter int unsigned Runs = 16,
  parameter int unsigned NoteBits = 20,  // note of a reader, which returns with its lines
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned WhoBits = $clog2(Readers)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [Readers-1:0]             run_valid_i,
  output logic [Readers-1:0]             run_ready_o,   // accepted
  input  logic [Readers*AB-1:0]          run_line_i,
  input  logic [Readers*RB-1:0]          run_lines_i,
  input  logic [Readers*NoteBits-1:0]    run_note_i,
  output logic                           req_valid_o,
  input  logic                           req_ready_i,
  output logic [AB-1:0]                  req_line_o,
  input  logic                           rsp_valid_i,
  input  logic [sparf_pkg::LineBits-1:0] rsp_data_i,
  output logic [Readers-1:0]             out_valid_o,   // for one reader
  input  logic [Readers-1:0]             out_ready_i,
  output logic [NoteBits-1:0]            out_note_o,
  output logic [RB-1:0]                  out_place_o,
  output logic                           out_last_o,
  output logic [sparf_pkg::LineBits-1:0] out_data_o
);
  localparam int unsigned LinePtrBits = $clog2(Lines);
  localparam int unsigned RunPtrBits = $clog2(Runs);
  localparam int unsigned EntryBits = WhoBits + NoteBits + RB;

  logic [AB-1:0] req_line_q;
  assign req_line_o = req_line_q;

  // The run being requested, and all runs with outstanding lines.
  logic run_q, open_q, take, run_room;  // open: a run may be accepted
  logic [RB-1:0] left_q;
  logic [Readers-1:0] grant, grant_q;
  logic [EntryBits-1:0] runs_q[Runs];
  logic [RunPtrBits:0] run_wr_q, run_rd_q;

  // Requested lines that have not left.
  logic [LinePtrBits:0] asked_q, stored_wr_q, stored_rd_q;
  logic ask, leave, load, line_room_q, line_valid_q;
  logic [WhoBits-1:0] to_whom;  // the reader of the line

  assign run_room = run_wr_q - run_rd_q != (RunPtrBits + 1)'(Runs);
  assign take = open_q && grant_q != '0;
  assign ask = req_valid_o && req_ready_i;
  assign leave = line_valid_q && out_ready_i[to_whom];

  round_robin #(
    .Requesters(Readers)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(run_valid_i),
    .taken_i(run_ready_o),
    .grant_o(grant)
  );
  assign run_ready_o = grant_q & {Readers{open_q}};

  logic [AB-1:0] line;
  logic [RB-1:0] lines;
  always_comb begin
    line = '0;
    lines = '0;
    for (int unsigned i = 0; i < Readers; i++) begin
      line = line | (run_line_i[i*AB+:AB] & {AB{grant_q[i]}});
      lines = lines | (run_lines_i[i*RB+:RB] & {RB{grant_q[i]}});
    end
  end

  // The run's record is stored in the next cycle, while its reader still shows its note.
  logic [Readers-1:0] taken_q;
  logic [RunPtrBits-1:0] taken_place_q;
  logic [WhoBits-1:0] who;
  logic [NoteBits-1:0] note;
  always_comb begin
    who = '0;
    note = '0;
    for (int unsigned i = 0; i < Readers; i++) begin
      who = who | (WhoBits'(i) & {WhoBits{taken_q[i]}});
      note = note | (run_note_i[i*NoteBits+:NoteBits] & {NoteBits{taken_q[i]}});
    end
  end

  assign req_valid_o = run_q && line_room_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      open_q <= 1'b1;
      grant_q <= '0;
      taken_q <= '0;
      run_wr_q <= '0;
      asked_q <= '0;
      line_room_q <= 1'b0;
    end else begin
      grant_q <= grant;
      // The record of the run also needs space; the space of a run that leaves counts one cycle later.
      open_q <= run_room && (run_q ? ask && left_q == RB'(1) : !take);
      taken_q <= run_ready_o;
      if (take) begin
        run_q <= 1'b1;
        run_wr_q <= run_wr_q + 1'b1;
      end else if (ask && left_q == RB'(1)) begin
        run_q <= 1'b0;
      end
      // The reader decides late whether a line leaves, so both results are computed earlier.
      asked_q <= leave ? asked_q - (LinePtrBits + 1)'(!ask) : asked_q + (LinePtrBits + 1)'(ask);
      // Computed one line ahead, independently of this cycle's request.
      if (req_valid_o && !req_ready_i) line_room_q <= 1'b1;
      else line_room_q <= asked_q < (LinePtrBits + 1)'(Lines - 1);
    end
    taken_place_q <= run_wr_q[RunPtrBits-1:0];
    if (taken_q != '0) runs_q[taken_place_q] <= {who, note, left_q - 1'b1};
    if (take) begin
      req_line_q <= line;
      left_q <= lines;
    end else if (ask) begin
      req_line_q <= sparf_pkg::line_behind(req_line_q);
      left_q <= left_q - 1'b1;
    end
  end

  // Answers: a memory and the line at its output, the record of its run in registers. A line arrives
  // at the earliest two cycles after its run's record is stored.
  logic [RB-1:0] last_place, place_q;
  logic [EntryBits-1:0] run_record_q;
  logic [RunPtrBits-1:0] run_next_q;
  assign load = stored_wr_q != stored_rd_q && (!line_valid_q || leave);
  assign {to_whom, out_note_o, last_place} = run_record_q;
  // Without a valid line no reader is selected, and the reader in the record is ignored.
  assign out_valid_o = line_valid_q ? Readers'(1) << to_whom : '0;
  assign out_place_o = place_q;
  assign out_last_o = place_q == last_place;

  sram_1r1w #(
    .Words(Lines),
    .DataBits(sparf_pkg::LineBits)
  ) u_lines (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(rsp_valid_i),
    .wr_addr_i(stored_wr_q[LinePtrBits-1:0]),
    .wr_data_i(rsp_data_i),
    .rd_valid_i(load),
    .rd_addr_i(stored_rd_q[LinePtrBits-1:0]),
    .rd_data_o(out_data_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_rd_q <= '0;
      stored_wr_q <= '0;
      stored_rd_q <= '0;
      line_valid_q <= 1'b0;
      place_q <= '0;
      run_next_q <= RunPtrBits'(1);
    end else begin
      if (rsp_valid_i) stored_wr_q <= stored_wr_q + 1'b1;
      if (load) stored_rd_q <= stored_rd_q + 1'b1;
      if (load) line_valid_q <= 1'b1;
      else if (leave) line_valid_q <= 1'b0;
      if (leave) begin
        place_q <= out_last_o ? '0 : place_q + 1'b1;
        if (out_last_o) begin
          run_rd_q <= run_rd_q + 1'b1;
          run_next_q <= run_next_q + 1'b1;
        end
      end
    end
    run_record_q <= leave && out_last_o ? runs_q[run_next_q] : runs_q[run_rd_q[RunPtrBits-1:0]];
  end

`ifdef NEARDATA_ASSERT
  logic [LinePtrBits:0] answered;  // and not gone yet
  assign answered = stored_wr_q - stored_rd_q + (LinePtrBits + 1)'(line_valid_q);
`endif
  // Otherwise it is late: of a read before the reset.
  `IMPLIES(AnswerAsked_A, rsp_valid_i, answered < asked_q)
  `IMPLIES(RunHasLines_A, ask, left_q != '0)
endmodule
