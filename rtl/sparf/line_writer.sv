// SPDX-License-Identifier: Apache-2.0
// One write port of controller DRAM for several writers, which take turns, a line at a time. A
// writer's line is on the port from the cycle after it is chosen until it is taken.
module line_writer #(
  parameter int unsigned Writers = 3,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned LB = sparf_pkg::LineBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Writers-1:0]    valid_i,
  output logic [Writers-1:0]    ready_o,
  input  logic [Writers*AB-1:0] line_i,
  input  logic [Writers*LB-1:0] data_i,
  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [AB-1:0]         line_o,
  output logic [LB-1:0]         data_o
);
  localparam int unsigned WhoBits = $clog2(Writers);
  logic [WhoBits-1:0] who_q, next;

  always_comb begin
    next = who_q;
    for (int unsigned i = Writers; i > 0; i--) begin
      if (valid_i[i-1] && WhoBits'(i - 1) <= who_q) next = WhoBits'(i - 1);
    end
    for (int unsigned i = Writers; i > 0; i--) begin
      if (valid_i[i-1] && WhoBits'(i - 1) > who_q) next = WhoBits'(i - 1);
    end
    ready_o = '0;
    ready_o[who_q] = valid_o && ready_i;
    line_o = line_i[who_q*AB+:AB];
    data_o = data_i[who_q*LB+:LB];
  end

  // The port rests for a cycle between two lines.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      who_q <= '0;
    end else if (valid_o) begin
      valid_o <= !ready_i;
    end else begin
      valid_o <= valid_i != '0;
      who_q <= next;
    end
  end
endmodule
