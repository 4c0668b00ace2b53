// SPDX-License-Identifier: Apache-2.0
// sparf_line_writer between writers that offer a line until it is accepted and a memory that pauses. Of address and
// data two bits matter.
`include "prove.svh"
module prove_sparf_line_writer #(
  parameter int unsigned Writers = 3
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [Writers-1:0]   begin_i,
  input logic [2*Writers-1:0] line_i,
  input logic [2*Writers-1:0] data_i,
  input logic                 ready_i,
  input logic [Writers-1:0]   who_i
);
  `FROM_ANY_STATE
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned LB = sparf_pkg::LineBits;
  logic [Writers-1:0] valid_q, ready, who_q;
  logic [2*Writers-1:0] line_q, data_q;
  logic [Writers*AB-1:0] lines;
  logic [Writers*LB-1:0] data;
  logic [AB-1:0] line;
  logic [LB-1:0] written;
  logic valid, right, offered_q;
  logic [3:0] offer_q;
  logic [2:0] others_q, idle_q;
  always @(posedge clk_i) begin
    for (int unsigned i = 0; i < Writers; i++) begin
      if (!rst_ni) valid_q[i] <= 1'b0;
      else if (ready[i] || !valid_q[i]) begin
        valid_q[i] <= begin_i[i];
        line_q[2*i+:2] <= line_i[2*i+:2];
        data_q[2*i+:2] <= data_i[2*i+:2];
      end
    end
  end
  always @* begin
    right = 1'b1;
    for (int unsigned i = 0; i < Writers; i++) begin
      lines[i*AB+:AB] = AB'(line_q[2*i+:2]);
      data[i*LB+:LB] = LB'(data_q[2*i+:2]);
      if (ready[i]) right = line[1:0] == line_q[2*i+:2] && written[1:0] == data_q[2*i+:2];
    end
  end
  sparf_line_writer #(
    .Writers(Writers)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_q),
    .ready_o(ready),
    .line_i(lines),
    .data_i(data),
    .valid_o(valid),
    .ready_i(ready_i),
    .line_o(line),
    .data_o(written)
  );
  always @(posedge clk_i) begin
    if (!rst_ni) who_q <= who_i;
    if (!rst_ni || (valid_q & who_q) == '0 || (ready & who_q) != '0) others_q <= '0;
    else if (ready != '0 && others_q != '1) others_q <= others_q + 1'b1;
    if (!rst_ni || valid_q == '0 || valid) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
    offered_q <= rst_ni && valid && !ready_i;
    offer_q <= {line[1:0], written[1:0]};
  end
  `ASSUME(who_q != '0 && (who_q & (who_q - 1'b1)) == '0)
  `PROVE(OneTaken, (ready & (ready - 1'b1)) == '0 && (ready & ~valid_q) == '0)
  `PROVE(EveryWriteIsTaken, (valid && ready_i) == (ready != '0))
  `PROVE(RightLine, right)
  `PROVE(OfferHolds, !offered_q || (valid && {line[1:0], written[1:0]} == offer_q))
  `PROVE(NoStarvation, others_q < 3'(Writers))
  `PROVE(Progress, idle_q < 3'd2)
endmodule
