// SPDX-License-Identifier: Apache-2.0
// The sums of sparf_append_unit, from any contents of its registers: a line of sums arrives in the first cycle, is
// offered to the writer in the third, and may wait there. Values of V are those at the head of the unit in that cycle
// (prove_sparf_append_unit proves which).
`include "prove.svh"
module prove_sparf_append_sums #(
  parameter int unsigned Width = 16,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned SumBits = sparf_pkg::SumBits,
  localparam int unsigned LineSums = LB / SumBits
) (
  input logic                           clk_i,
  input logic                           desc_valid_i,
  input logic [sparf_pkg::DescBits-1:0] desc_i,
  input logic                           done_ready_i,
  input logic                           read_ready_i,
  input logic                           line_valid_i,
  input logic [LB-1:0]                  line_data_i,
  input logic                           write_ready_i,
  input logic                           page_ready_i
);
  localparam int unsigned RowLines = sparf_pkg::row_lines(Width);
  localparam int unsigned PlaceBits = $clog2(2 * RowLines + Width / LineSums + 1);
  logic desc_ready, done_valid, read_valid, line_ready, write_valid, page_valid;
  sparf_pkg::done_t done;
  sparf_pkg::page_req_t page;
  logic [sparf_pkg::AddrBits-1:0] read_line, write_line;
  logic [sparf_pkg::RingBits-1:0] read_lines;
  logic [LB-1:0] write_data;
  sparf_append_unit #(
    .Width(Width),
    .RingLines(8),
    .MaxPageRows(4)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(1'b1),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .desc_i(desc_i),
    .done_valid_o(done_valid),
    .done_ready_i(done_ready_i),
    .done_o(done),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready_i),
    .read_line_o(read_line),
    .read_lines_o(read_lines),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .write_valid_o(write_valid),
    .write_ready_i(write_ready_i),
    .write_line_o(write_line),
    .write_data_o(write_data),
    .page_valid_o(page_valid),
    .page_ready_i(page_ready_i),
    .page_req_o(page)
  );
  (* hierconn *) logic [PlaceBits-1:0] \u_dut.place_q ;
  (* hierconn *) logic [RowLines*LB-1:0] \u_dut.values_q ;
  `WINDOW(2)

  logic [LB-1:0] sums_q, offered_q;
  logic [16*LineSums-1:0] values_q;
  logic comes_q, waits_q;
  always @(posedge clk_i) begin
    if (enters) begin
      comes_q <= line_valid_i && line_ready && 32'(\u_dut.place_q ) >= 2 * RowLines;
      sums_q <= line_data_i;
      values_q <= \u_dut.values_q [16*LineSums-1:0];
    end
    waits_q <= write_valid && !write_ready_i;
    offered_q <= write_data;
  end

  logic exact, lost, is_lost;
  logic [SumBits-1:0] sum, size, result;
  logic [15:0] value;
  always @* begin
    exact = write_valid;
    lost = 1'b1;
    for (int unsigned i = 0; i < LineSums; i++) begin
      sum = sums_q[SumBits*i+:SumBits];
      value = values_q[16*i+:16];
      result = write_data[SumBits*i+:SumBits];
      size = value[14:10] == '0 ? {54'd0, value[9:0]} : {53'd0, 1'b1, value[9:0]} << (value[14:10] - 5'd1);
      is_lost = value[14:10] == '1 || sparf_pkg::sum_lost(sum[63:62]);
      if (is_lost && !sparf_pkg::sum_lost(result[63:62])) lost = 1'b0;
      if (!is_lost && result != (value[15] ? sum - size : sum + size)) exact = 1'b0;
    end
  end
  `AT_THE_END(Exact, !comes_q || exact)
  `AT_THE_END(Lost, !comes_q || lost)
  `AT_THE_END(Stays, !waits_q || (write_valid && write_data == offered_q))
endmodule
