// The relayout unit from registers of x: a run of six bursts to the other stream of this DIMM, one to a link,
// and a packet that comes from a link. Memory answers reads and writes in the cycle after. An output that is
// x counts: of a stream the payload while it is valid.
`timescale 1ns / 1ns
module bench;
  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg run_valid = 0, expect_valid = 0, in_valid = 0;
  reg [127:0] run;
  reg [15:0] flow;
  reg [31:0] bursts;
  wire run_ready, expect_ready, end_valid, link_valid, link_last, in_ready;
  wire [15:0] end_flow;
  wire [1:0] read_valid, write_valid;
  wire [7:0] read_tag;
  wire [63:0] read_burst, write_burst;
  wire [31:0] write_flow;
  wire [1023:0] write_data;
  wire [95:0] link_header;
  wire [511:0] link_data;
  wire [3:0] events;
  reg [1:0] rsp_valid = 0, written_valid = 0;
  reg [7:0] rsp_tag;
  reg [1023:0] rsp_data;
  reg [31:0] written_flow, late_flow;
  reg [1:0] late_read = 0, late_write = 0;
  reg [7:0] late_tag;
  reg [1023:0] late_data;
  relayout_unit dut (
    .clk_i(clk), .rst_ni(rst_n), .dimm_i(8'd0), .run_valid_i(run_valid), .run_ready_o(run_ready),
    .run_from_i(8'd0), .run_i(run), .expect_valid_i(expect_valid), .expect_ready_o(expect_ready),
    .expect_flow_i(flow), .expect_bursts_i(bursts), .end_valid_o(end_valid), .end_ready_i(1'b1),
    .end_flow_o(end_flow), .read_valid_o(read_valid), .read_ready_i(2'b11), .read_tag_o(read_tag),
    .read_burst_o(read_burst), .rsp_valid_i(rsp_valid), .rsp_tag_i(rsp_tag), .rsp_data_i(rsp_data),
    .write_valid_o(write_valid), .write_ready_i(2'b11), .write_flow_o(write_flow),
    .write_burst_o(write_burst), .write_data_o(write_data), .written_valid_i(written_valid),
    .written_flow_i(written_flow), .link_out_valid_o(link_valid), .link_out_ready_i(1'b1),
    .link_out_header_o(link_header), .link_out_data_o(link_data), .link_out_last_o(link_last),
    .link_in_valid_i(in_valid), .link_in_ready_o(in_ready),
    .link_in_header_i({32'd900, 16'd0, 16'd64, 16'd9, 8'd1, 8'd0}), .link_in_data_i({16{32'd77}}),
    .link_in_last_i(1'b1), .events_o(events)
  );
  integer unknown = 0, ends = 0, sent = 0, written = 0, cycle = 0, runs = 0, awaited = 0, came = 0, s;
  // flow, from burst, to DIMM, to stream, to burst, bursts
  reg [127:0] words[0:1];
  initial begin
    words[0] = {16'd7, 32'd100, 8'd0, 8'd1, 32'd300, 32'd6};
    words[1] = {16'd8, 32'd200, 8'd3, 8'd1, 32'd400, 32'd5};
    repeat (4) @(negedge clk);
    rst_n = 1;
    while ((ends < 2 || sent < 5) && cycle < 2000) begin
      @(negedge clk);
      expect_valid = awaited < 2;
      flow = awaited == 0 ? 16'd7 : 16'd9;
      bursts = awaited == 0 ? 32'd6 : 32'd1;
      run_valid = awaited == 2 && runs < 2;
      run = words[runs < 2 ? runs : 1];
      in_valid = awaited == 2 && came < 1;
      rsp_valid = late_read;
      rsp_tag = late_tag;
      rsp_data = late_data;
      written_valid = late_write;
      written_flow = late_flow;
      #4;
      cycle = cycle + 1;
      if (^{run_ready, expect_ready, end_valid, read_valid, write_valid, link_valid, in_ready} === 1'bx)
        unknown = unknown + 1;
      if (cycle > 1 && ^events === 1'bx) unknown = unknown + 1;
      for (s = 0; s < 2; s = s + 1) begin
        if (read_valid[s] === 1'b1 && ^{read_tag[4*s +: 4], read_burst[32*s +: 32]} === 1'bx)
          unknown = unknown + 1;
        if (write_valid[s] === 1'b1) begin
          written = written + 1;
          if (^{write_flow[16*s +: 16], write_burst[32*s +: 32], write_data[512*s +: 512]} === 1'bx)
            unknown = unknown + 1;
        end
      end
      if (link_valid === 1'b1) begin
        sent = sent + 1;
        if (^{link_header[95:64], link_header[47:0], link_data, link_last} === 1'bx) unknown = unknown + 1;
      end
      if (end_valid === 1'b1) begin
        $display("flow %0d ends", end_flow);
        ends = ends + 1;
      end
      if (run_valid && run_ready === 1'b1) runs = runs + 1;
      if (expect_valid && expect_ready === 1'b1) awaited = awaited + 1;
      if (in_valid && in_ready === 1'b1) came = came + 1;
      late_read = read_valid;
      late_tag = read_tag;
      late_data = {32{read_burst[31:0]}};
      late_write = write_valid;
      late_flow = write_flow;
    end
    $display("unknown %0d ends %0d sent %0d writes %0d", unknown, ends, sent, written);
    $finish;
  end
endmodule
