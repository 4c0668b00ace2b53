// reset_drain of two ports from registers of x: three reads are accepted, the reset falls in the cycle
// of a fourth, and the answers arrive during the reset. The cycles in which the output is x count.
`timescale 1ns / 1ns
module bench;
  reg clk = 0, por_n = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg [1:0] asked = 0, answered = 0;
  wire out;
  reset_drain dut (
    .clk_i(clk), .por_ni(por_n), .rst_ni(rst_n), .asked_i(asked), .answered_i(answered), .rst_no(out)
  );
  integer unknown = 0, low = 0, cycle;
  initial begin
    repeat (4) @(negedge clk);
    por_n = 1;
    for (cycle = 0; cycle < 30; cycle = cycle + 1) begin
      @(negedge clk);
      rst_n = cycle > 2 && cycle != 10;
      asked = cycle == 6 ? 2'b11 : cycle == 7 || cycle == 10 ? 2'b01 : 2'b00;
      answered = cycle == 14 || cycle == 15 || cycle == 16 ? 2'b01 : cycle == 20 ? 2'b10 : 2'b00;
      #4;
      if (out === 1'bx) unknown = unknown + 1;
      if (cycle > 10 && out === 1'b0) low = low + 1;
    end
    $display("unknown %0d low %0d out %0d", unknown, low, out);
    $finish;
  end
endmodule
