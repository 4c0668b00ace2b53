// The SparF engine, from registers of x: a sparse head, an append and a dense head, all of controller
// DRAM, which answers after two cycles. An output that is x counts: of a stream the data while it is valid.
`timescale 1ns / 1ns
module bench;
  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg [511:0] desc;
  reg desc_valid = 0;
  wire desc_ready, done_valid, page_valid, dr_valid, rsp_ready, dw_valid, quiet;
  wire [31:0] done, dr_addr, dw_addr;
  wire [511:0] dw_data;
  wire [63:0] dw_strb;
  wire [82:0] page;
  wire ch_ready;
  wire [19:0] events;
  reg [511:0] line;
  reg rsp_valid = 0, rsp_next = 0;
  sparf_engine dut (
    .clk_i(clk), .rst_ni(rst_n), .desc_valid_i(desc_valid), .desc_ready_o(desc_ready), .desc_i(desc),
    .done_valid_o(done_valid), .done_ready_i(1'b1), .done_o(done),
    .page_req_valid_o(page_valid), .page_req_ready_i(1'b1), .page_req_o(page),
    .ch_valid_i(1'b0), .ch_ready_o(ch_ready), .ch_first_i(1'b0), .ch_error_i(1'b0), .ch_tag_i(16'd0),
    .ch_data_i(64'd0), .dr_req_valid_o(dr_valid), .dr_req_ready_i(1'b1), .dr_req_addr_o(dr_addr),
    .dr_rsp_valid_i(rsp_valid), .dr_rsp_ready_o(rsp_ready), .dr_rsp_data_i(line),
    .dw_valid_o(dw_valid), .dw_ready_i(1'b1), .dw_addr_o(dw_addr), .dw_data_o(dw_data),
    .dw_strb_o(dw_strb), .quiet_o(quiet), .events_o(events)
  );
  integer unknown = 0, ends = 0, rung = 0, cycle = 0;
  reg [511:0] words[0:2];
  function [511:0] head(input [31:0] mode);
    head = {32'd256, 32'h3daaaaab, 32'h3eb8aa3b, 32'd500, 32'd1100, 32'd1000, 32'd200, 32'd100, 32'd7,
            32'd0, 32'd0, 32'd4, 32'd2, 32'd6, 32'd12, mode};
  endfunction
  // Values of 0.5 to 1.5 by line and place; of the sums a few units.
  function [511:0] content(input [31:0] address);
    integer i;
    for (i = 0; i < 32; i = i + 1) content[16*i +: 16] = 16'h3800 + ((address * 37 + i * 101) & 16'h01ff);
    if (address >= 200 && address < 300) content = {8{64'd4096}};
  endfunction
  initial begin
    words[0] = head(32'h00011000);
    words[1] = head(32'h00021002);
    words[2] = head(32'h00031001);
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (ends < 3 && cycle < 20000) begin
      @(negedge clk);
      cycle = cycle + 1;
      if (^{desc_ready, done_valid, page_valid, ch_ready, dr_valid, rsp_ready, dw_valid, quiet, dw_strb} === 1'bx)
        unknown = unknown + 1;
      if (cycle > 1 && ^events === 1'bx) unknown = unknown + 1;
      if (done_valid === 1'b1) begin
        if (^done === 1'bx) unknown = unknown + 1;
        else $display("done %0d status %0d", done[15:0], done[31:24]);
        ends = ends + 1;
      end
      if (dr_valid === 1'b1 && ^dr_addr === 1'bx) unknown = unknown + 1;
      if (dw_valid === 1'b1 && ^{dw_addr, dw_data} === 1'bx) unknown = unknown + 1;
      if (desc_valid && desc_ready === 1'b1) rung = rung + 1;
      desc_valid <= rung < 3;
      desc <= words[rung < 3 ? rung : 2];
      rsp_valid <= dr_valid === 1'b1;
      line <= content(dr_addr);
    end
    $display("unknown %0d ends %0d", unknown, ends);
    $finish;
  end
endmodule
