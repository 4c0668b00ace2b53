// The DIMM-NDP unit with two descriptors at work, from registers of x: experts, linear jobs and a refused
// descriptor without tokens. Memory answers after two cycles. A reset falls with descriptors inside, and reads
// are answered in it. An output that is x counts: of a stream the payload while it is valid.
// Defines: STREAMS, TAG_BITS (of a stream), LOW_BIT (a unit for low-bit weights with blocks of eight bursts;
// otherwise a block is one burst), CYCLES (at most this many).
`timescale 1ns / 1ns
module bench;
  localparam integer S = `STREAMS;
  localparam integer T = `TAG_BITS;
  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg [735:0] desc;
  reg desc_valid = 0;
  wire desc_ready, done_valid, out_valid, quiet;
  wire [(S > 1 ? $clog2(S) : 1)-1:0] out_stream;
  wire [4:0] done_field;
  wire [S-1:0] req_valid, rsp_ready;
  wire [32*S-1:0] req_addr;
  wire [T*S-1:0] req_tag;
  wire [31:0] out_addr;
  wire [511:0] out_data;
  wire [15:0] events;
  reg [S-1:0] rsp_valid = 0, late_valid = 0;
  reg [T*S-1:0] rsp_tag, late_tag;
  reg [512*S-1:0] rsp_data, late_data;
  dimm_ndp dut (
    .clk_i(clk), .rst_ni(rst_n), .desc_valid_i(desc_valid), .desc_ready_o(desc_ready), .desc_i(desc),
    .done_valid_o(done_valid), .done_ready_i(1'b1), .done_field_o(done_field),
    .req_valid_o(req_valid), .req_ready_i({S{1'b1}}), .req_addr_o(req_addr), .req_tag_o(req_tag),
    .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready), .rsp_tag_i(rsp_tag), .rsp_data_i(rsp_data),
    .out_valid_o(out_valid), .out_ready_i(1'b1), .out_stream_o(out_stream), .out_addr_o(out_addr),
    .out_data_o(out_data), .quiet_o(quiet), .events_o(events)
  );
  integer unknown = 0, ends = 0, rung = 0, written = 0, cycle = 0, s;
`ifdef LOW_BIT
  // One block, three rows between the matrices, three rows out, two tokens a pass.
  localparam integer Jobs = 7;
  function [735:0] job(input [31:0] mode, input [31:0] tokens);
    job = {32'h3e000000, 32'h3f800000, 32'h3f000000, 32'd1, 32'd1, 32'd32, 32'd16, 32'd1, 32'd640, 32'd16, 32'd480, 32'd16, 32'd320, 32'd160,
           32'd8, 32'd0, 32'd3, 32'd1, 32'd3, 32'd1, 32'd2, tokens, mode};
  endfunction
`else
  // One block and three rows between the matrices, three rows out, a token a pass.
  localparam integer Jobs = 3;
  function [735:0] job(input [31:0] mode, input [31:0] tokens);
    job = {96'd0, 32'd0, 32'd0, 32'd4, 32'd1, 32'd1, 32'd64, 32'd1, 32'd48, 32'd1, 32'd32, 32'd16,
           32'd1, 32'd0, 32'd3, 32'd1, 32'd3, 32'd1, 32'd1, tokens, mode};
  endfunction
`endif
  reg [735:0] words[0:Jobs-1];
  function [511:0] content(input [31:0] address);
    integer i;
    for (i = 0; i < 32; i = i + 1) content[16*i +: 16] = 16'h3800 + ((address * 37 + i * 101) & 16'h01ff);
  endfunction
  task look;
    begin
      if (^{desc_ready, done_valid, req_valid, rsp_ready, out_valid, quiet} === 1'bx) unknown = unknown + 1;
      if (cycle > 1 && ^events === 1'bx) unknown = unknown + 1;
      if (done_valid === 1'b1 && ^done_field === 1'bx) unknown = unknown + 1;
      for (s = 0; s < S; s = s + 1) begin
        if (req_valid[s] === 1'b1 && ^{req_addr[32*s +: 32], req_tag[T*s +: T]} === 1'bx)
          unknown = unknown + 1;
      end
      if (out_valid === 1'b1 && ^{out_stream, out_addr, out_data} === 1'bx) unknown = unknown + 1;
    end
  endtask
  // A cycle, which begins at the falling edge: inputs change there and outputs are sampled before the rising
  // edge. What the memory was asked for two cycles before is answered, in a reset as well.
  task step;
    begin
      @(negedge clk);
      desc_valid = rst_n && rung < Jobs;
      desc = words[rung < Jobs ? rung : Jobs - 1];
      rsp_valid = late_valid;
      rsp_tag = late_tag;
      rsp_data = late_data;
      #4;
      cycle = cycle + 1;
      if (rst_n) look;
      if (desc_valid && desc_ready === 1'b1) rung = rung + 1;
      late_valid = rst_n ? req_valid : {S{1'b0}};
      late_tag = req_tag;
      for (s = 0; s < S; s = s + 1) late_data[512*s +: 512] = content(req_addr[32*s +: 32]);
    end
  endtask
  initial begin
`ifdef LOW_BIT
    words[0] = job(32'h00001021, 2);
    words[1] = job(32'h00000001, 0);
    words[2] = job(32'h00002021, 2);
    words[3] = job(32'h00003000, 3);
    words[4] = job(32'h00004021, 1);
    words[5] = job(32'h00000121, 2);
    words[6] = job(32'h00006021, 2);
`else
    words[0] = job(32'h00000021, 2);
    words[1] = job(32'h00000001, 0);
    words[2] = job(32'h00000100, 3);
`endif
    repeat (4) @(negedge clk);
    rst_n = 1;
    while ((rung < 2 || req_valid === {S{1'b0}}) && cycle < `CYCLES) step;
    @(negedge clk) rst_n = 0;
    repeat (4) step;
    $display("reset with %0d descriptors inside", rung);
    @(negedge clk) rst_n = 1;
    cycle = 0;
    rung = 0;
    while (ends < Jobs && cycle < `CYCLES) begin
      step;
      if (done_valid === 1'b1) begin
        $display("done field %0d", done_field);
        ends = ends + 1;
      end
      if (out_valid === 1'b1) written = written + 1;
    end
    $display("unknown %0d ends %0d writes %0d", unknown, ends, written);
    $finish;
  end
endmodule
