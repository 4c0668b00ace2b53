// SPDX-License-Identifier: Apache-2.0
// sparf_dram_reader between readers that offer their runs until they are accepted (and their notes for a cycle more), a
// memory that answers in order after any time, and readers that pause. Runs are up to three lines; of a line's data two
// bits matter.
`include "prove.svh"
module prove_sparf_dram_reader #(
  parameter int unsigned Readers = 2,
  parameter int unsigned Lines = 4,
  parameter int unsigned Runs = 2
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 pick_data_i,
  input logic                 pick_line_i,
  input logic [Readers-1:0]   begin_i,     // a new run
  input logic [2*Readers-1:0] lines_i,
  input logic [Readers-1:0]   note_i,
  input logic                 req_ready_i,
  input logic                 rsp_valid_i,
  input logic [1:0]           rsp_data_i,
  input logic [Readers-1:0]   out_ready_i,
  input logic [Readers-1:0]   who_i
);
  `FROM_ANY_STATE
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned RB = sparf_pkg::RingBits;
  logic [Readers-1:0] run_valid_q, run_ready, note_q, taken_q, out_valid, who_q;
  logic [2*Readers-1:0] lines_q;
  logic [Readers*AB-1:0] run_line;
  logic [Readers*RB-1:0] run_lines;
  logic req_valid, out_note, out_last, wrong_data, wrong_line, asks, leaves;
  logic [AB-1:0] req_line;
  logic [RB-1:0] out_place;
  logic [sparf_pkg::LineBits-1:0] out_data;
  logic [4:0] stored, asked;

  always @(posedge clk_i) begin
    taken_q <= run_ready;
    for (int unsigned i = 0; i < Readers; i++) begin
      if (!rst_ni) run_valid_q[i] <= 1'b0;
      else if (run_valid_q[i]) run_valid_q[i] <= !run_ready[i];
      else if (begin_i[i] && !taken_q[i]) begin
        run_valid_q[i] <= 1'b1;
        note_q[i] <= note_i[i];
        lines_q[2*i+:2] <= lines_i[2*i+:2];
      end
    end
  end
  always @* begin
    for (int unsigned i = 0; i < Readers; i++) begin
      run_line[i*AB+:AB] = AB'(4 * i);
      run_lines[i*RB+:RB] = RB'(lines_q[2*i+:2]);
    end
  end

  sparf_dram_reader #(
    .Readers(Readers),
    .Lines(Lines),
    .Runs(Runs),
    .NoteBits(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_valid_i(run_valid_q),
    .run_ready_o(run_ready),
    .run_line_i(run_line),
    .run_lines_i(run_lines),
    .run_note_i(note_q),
    .req_valid_o(req_valid),
    .req_ready_i(req_ready_i),
    .req_line_o(req_line),
    .rsp_valid_i(rsp_valid_i),
    .rsp_data_i(sparf_pkg::LineBits'(rsp_data_i)),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_note_o(out_note),
    .out_place_o(out_place),
    .out_last_o(out_last),
    .out_data_o(out_data)
  );
  `ASSUME((run_valid_q[0] == 1'b0 || lines_q[1:0] != '0) &&
          (run_valid_q[1] == 1'b0 || lines_q[3:2] != '0))
  assign asks = req_valid && req_ready_i;
  assign leaves = (out_valid & out_ready_i) != '0;

  // The run whose lines are being requested.
  logic run_who_q, run_note_q;
  logic [1:0] run_place_q, run_lines_q;
  logic [4:0] unanswered_q;
  always @(posedge clk_i) begin
    if (!rst_ni) unanswered_q <= '0;
    else unanswered_q <= unanswered_q + 5'(asks) - 5'(rsp_valid_i);
    if (run_ready != '0) begin
      run_who_q <= run_ready[1];
      run_note_q <= run_ready[1] ? note_q[1] : note_q[0];
      run_lines_q <= run_ready[1] ? lines_q[3:2] : lines_q[1:0];
      run_place_q <= '0;
    end else if (asks) run_place_q <= run_place_q + 1'b1;
  end
  `ASSUME(!rsp_valid_i || unanswered_q != '0)

  word_watch #(
    .DataBits(2),
    .CountBits(5)
  ) u_data (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_data_i),
    .push_i(rsp_valid_i),
    .push_data_i(rsp_data_i),
    .pop_i(leaves),
    .pop_data_i(out_data[1:0]),
    .inside_o(stored),
    .wrong_o(wrong_data)
  );
  word_watch #(
    .DataBits(5),
    .CountBits(5)
  ) u_line (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_line_i),
    .push_i(asks),
    .push_data_i({run_who_q, run_note_q, run_place_q, run_place_q + 2'd1 == run_lines_q}),
    .pop_i(leaves),
    .pop_data_i({out_valid[1], out_note, out_place[1:0], out_last}),
    .inside_o(asked),
    .wrong_o(wrong_line)
  );

  // Runs of others that are accepted while a reader waits.
  logic [2:0] others_q;
  always @(posedge clk_i) begin
    if (!rst_ni) who_q <= who_i;
    if (!rst_ni || (run_valid_q & who_q) == '0 || (run_ready & who_q) != '0) others_q <= '0;
    else if (run_ready != '0 && others_q != '1) others_q <= others_q + 1'b1;
  end
  `ASSUME(who_q == Readers'(1) || who_q == Readers'(2))

  `PROVE(DataInOrder, !wrong_data)
  `PROVE(RightReader, !wrong_line)
  `PROVE(NoneInvented, out_valid == '0 || stored != '0)
  `PROVE(OneReader, (out_valid & (out_valid - 1'b1)) == '0)
  `PROVE(RoomForAnswers, asked <= 5'(Lines))
  `PROVE(Address, !asks || req_line == AB'({run_who_q, run_place_q}))
  `PROVE(OnlyRequesters, (run_ready & ~run_valid_q) == '0)
  `PROVE(NoStarvation, others_q <= 3'(Readers))
endmodule
