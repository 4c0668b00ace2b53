// SPDX-License-Identifier: Apache-2.0
// What sparf_append_unit adds to a line of sums, from any contents of its registers: the first cycle takes a
// line, two cycles later it is written. Widths are those of the RTL; one of the line's sums, any one, is looked at.
`include "prove.svh"
module prove_sparf_append_sums #(
  parameter int unsigned Width = 64,
  localparam int unsigned LB = sparf_pkg::LineBits
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic [sparf_pkg::DescBits-1:0] desc_i,
  input logic                           line_valid_i,
  input logic [LB-1:0]                  line_data_i,
  input logic [2:0]                     lane_i
);
  `WINDOW(2)
  always @* assume (rst_ni);
  localparam int unsigned RowLines = sparf_pkg::row_lines(Width);
  localparam int unsigned SumLines = Width * sparf_pkg::SumBits / LB;
  localparam int unsigned PlaceBits = $clog2(2 * RowLines + SumLines + 1);
  localparam int unsigned RowBits = RowLines * LB;
  localparam int unsigned PartBits = 8 * sparf_pkg::ValueBits;
  logic line_ready, write_valid;
  logic [LB-1:0] write_data;
  sparf_append_unit #(
    .Width(Width)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(1'b0),
    .desc_ready_o(),
    .desc_i(desc_i),
    .done_valid_o(),
    .done_ready_i(1'b0),
    .done_o(),
    .read_valid_o(),
    .read_ready_i(1'b0),
    .read_line_o(),
    .read_lines_o(),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .write_valid_o(write_valid),
    .write_ready_i(1'b0),
    .write_line_o(),
    .write_data_o(write_data),
    .page_valid_o(),
    .page_ready_i(1'b0),
    .page_req_o()
  );
  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [PlaceBits-1:0] \u_dut.place_q ;
  (* hierconn *) logic [RowBits-1:0] \u_dut.values_q ;
  logic [RowBits-1:0] values;
  logic [PlaceBits-1:0] place;
  assign place = \u_dut.place_q ;
  assign values = \u_dut.values_q ;

  // The first cycle.
  logic sums_q, row_q, takes_q;
  logic [2:0] lane_q;
  logic [63:0] sum_q;
  logic [15:0] value_q;
  logic [RowBits-1:0] values_q;
  logic [LB-1:0] line_q;
  always @(posedge clk_i) begin
    if (enters) begin
      takes_q <= line_valid_i && line_ready;
      sums_q <= place >= PlaceBits'(2 * RowLines);
      row_q <= place >= PlaceBits'(RowLines) && place < PlaceBits'(2 * RowLines);
      lane_q <= lane_i;
      sum_q <= line_data_i[64*lane_i+:64];
      value_q <= values[16*lane_i+:16];
      values_q <= values;
      line_q <= line_data_i;
    end
  end

  // The value in units of 2^-24.
  logic [63:0] size, sum;
  always @* begin
    size = {54'd0, value_q[9:0]};
    if (value_q[14:10] != '0) size = ({53'd0, 1'b1, value_q[9:0]} << value_q[14:10]) >> 1;
    sum = value_q[15] ? sum_q - size : sum_q + size;
  end
  `AT_THE_END(Sum, !takes_q || !sums_q || (write_valid && write_data[64*lane_q+:64] == sum))
  `AT_THE_END(NextPart, !takes_q || !sums_q || values == values_q >> PartBits)
  `AT_THE_END(RowKept, !takes_q || sums_q ||
              values == (row_q ? {line_q, values_q[RowBits-1:LB]} : values_q))
endmodule
