// The SparF engine from registers of x: heads and appends in controller DRAM and on flash. An append
// completes a token-order page and a block, pages of one head are unreadable, and two descriptors end with a
// status. DRAM answers after two cycles, a page begins ten cycles after its request, and every sink pauses.
// An output that is x counts: of a stream the payload while it is valid.
// Defines: CHANNELS, EVENTS (bits of events_o), CYCLES (at most this many).
`timescale 1ns / 1ns
module bench;
  localparam integer C = `CHANNELS;
  localparam integer Jobs = 9;
  localparam integer Beats = 16;       // of a page of 128 bytes
  localparam integer Waiting = 256;    // pages of a channel
  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg [511:0] desc;
  reg desc_valid = 0, done_ready = 0, page_ready = 0, dr_ready = 0, dw_ready = 0;
  wire desc_ready, done_valid, page_valid, dr_valid, rsp_ready, dw_valid, quiet;
  wire [31:0] done, dr_addr, dw_addr;
  wire [511:0] dw_data;
  wire [63:0] dw_strb;
  wire [82:0] page;  // 82 write, 81..50 index, 49..48 kind, 47..16 head, 15..0 tag
  reg [C-1:0] ch_valid = 0, ch_first, ch_error;
  reg [16*C-1:0] ch_tag;
  reg [64*C-1:0] ch_data;
  wire [C-1:0] ch_ready;
  wire [`EVENTS-1:0] events;
  reg [511:0] line, line_late;
  reg rsp_valid = 0, rsp_late = 0;
  sparf_engine dut (
    .clk_i(clk), .rst_ni(rst_n), .desc_valid_i(desc_valid), .desc_ready_o(desc_ready), .desc_i(desc),
    .done_valid_o(done_valid), .done_ready_i(done_ready), .done_o(done),
    .page_req_valid_o(page_valid), .page_req_ready_i(page_ready), .page_req_o(page),
    .ch_valid_i(ch_valid), .ch_ready_o(ch_ready), .ch_first_i(ch_first), .ch_error_i(ch_error),
    .ch_tag_i(ch_tag), .ch_data_i(ch_data), .dr_req_valid_o(dr_valid), .dr_req_ready_i(dr_ready),
    .dr_req_addr_o(dr_addr), .dr_rsp_valid_i(rsp_valid), .dr_rsp_ready_o(rsp_ready), .dr_rsp_data_i(line),
    .dw_valid_o(dw_valid), .dw_ready_i(dw_ready), .dw_addr_o(dw_addr), .dw_data_o(dw_data),
    .dw_strb_o(dw_strb), .quiet_o(quiet), .events_o(events)
  );
  integer unknown = 0, ends = 0, rung = 0, cycle = 0, pages = 0, programs = 0, beats = 0, used = 0, c;
  reg [511:0] words[0:Jobs-1];
  reg [31:0] random = 1;
  // Requested pages of each channel, in order; the beat of the oldest.
  reg [82:0] queue[0:C*Waiting-1];
  integer due[0:C*Waiting-1], first[0:C-1], last[0:C-1], beat[0:C-1];
  // A descriptor of a cache with 16 values in a row, pages of 128 bytes and m = 4: a token-order page has four
  // tokens, a block has 16, and its keys fill four embedding-order pages.
  function [511:0] job(input [31:0] mode, tokens, dims, dim_flash, token_flash, cache, fresh);
    reg [31:0] sums;
    begin
      sums = 200 + 10 * cache;
      job = {32'd128, 32'h3daaaaab, 32'h3eb8aa3b, 32'd500, 32'd1100, 32'd1000, sums, fresh,
             cache, token_flash, dim_flash, dims, 32'd6, 32'd12, tokens, mode};
    end
  endfunction
  // Values of 0.5 to 1.5 by place; of the sums of V a few units; in line 900 infinite values.
  function [511:0] content(input [31:0] address);
    integer i;
    for (i = 0; i < 32; i = i + 1) content[16*i +: 16] = 16'h3800 + ((address * 37 + i * 101) & 16'h01ff);
    if (address >= 200 && address < 400) content = {8{64'd4096}};
    if (address == 900) content = {32{16'h7c00}};
  endfunction
  function [63:0] beat_of(input [82:0] request, input integer number);
    integer i;
    for (i = 0; i < 4; i = i + 1) begin
      beat_of[16*i +: 16] = 16'h3800 + ((request[81:50] * 41 + request[49:48] * 77 + number * 29 + i * 101)
                                        & 16'h01ff);
    end
  endfunction
  task pause;
    begin
      random = random * 32'd1664525 + 32'd1013904223;
      {done_ready, page_ready, dr_ready, dw_ready} = random[31:28] | random[27:24];
    end
  endtask
  task send;
    reg [82:0] request;
    for (c = 0; c < C; c = c + 1) begin
      request = queue[c*Waiting+first[c]];
      ch_valid[c] = first[c] != last[c] && due[c*Waiting+first[c]] <= cycle;
      ch_first[c] = beat[c] == 0;
      ch_error[c] = request[47:16] == 32'd3;
      ch_tag[16*c +: 16] = request[15:0];
      ch_data[64*c +: 64] = beat_of(request, beat[c]);
    end
  endtask
  task look;
    begin
      if (^{desc_ready, done_valid, page_valid, ch_ready, dr_valid, rsp_ready, dw_valid, quiet, dw_strb} === 1'bx)
        unknown = unknown + 1;
      if (cycle > 1 && ^events === 1'bx) unknown = unknown + 1;
      if (done_valid === 1'b1 && ^done === 1'bx) unknown = unknown + 1;
      if (page_valid === 1'b1 && ^page === 1'bx) unknown = unknown + 1;
      if (dr_valid === 1'b1 && ^dr_addr === 1'bx) unknown = unknown + 1;
      if (dw_valid === 1'b1 && ^{dw_addr, dw_data} === 1'bx) unknown = unknown + 1;
    end
  endtask
  task take;
    integer to;
    begin
      if (desc_valid && desc_ready === 1'b1) rung = rung + 1;
      if (done_valid === 1'b1 && done_ready) begin
        $display("done %0d status %0d field %0d", done[15:0], done[31:24], done[20:16]);
        ends = ends + 1;
      end
      if (page_valid === 1'b1 && page_ready && page[82]) programs = programs + 1;
      if (page_valid === 1'b1 && page_ready && !page[82]) begin
        pages = pages + 1;
        to = (page[81:50] + page[47:16]) % C;
        queue[to*Waiting+last[to]] = page;
        due[to*Waiting+last[to]] = cycle + 10;
        last[to] = last[to] + 1;
      end
      for (c = 0; c < C; c = c + 1) begin
        if (ch_valid[c] && ch_ready[c] === 1'b1) begin
          beats = beats + 1;
          beat[c] = ch_error[c] || beat[c] == Beats - 1 ? 0 : beat[c] + 1;
          if (beat[c] == 0) first[c] = first[c] + 1;
        end
      end
      rsp_late = dr_valid === 1'b1 && dr_ready;
      line_late = content(dr_addr);
    end
  endtask
  initial begin
    words[0] = job(32'h00011200, 12, 4, 0, 0, 1, 100);
    words[1] = job(32'h00021202, 12, 4, 0, 0, 1, 100);
    words[2] = job(32'h00031201, 12, 4, 0, 0, 1, 100);
    words[3] = job(32'h00041210, 31, 5, 16, 28, 2, 100);
    words[4] = job(32'h00051202, 31, 5, 16, 28, 2, 100);
    words[5] = job(32'h00061211, 32, 5, 32, 32, 2, 100);
    words[6] = job(32'h00071210, 24, 5, 16, 24, 3, 100);
    words[7] = job(32'h00081203, 24, 5, 16, 24, 4, 100);
    words[8] = job(32'h00091202, 12, 5, 0, 0, 5, 900);
    for (c = 0; c < C; c = c + 1) begin
      first[c] = 0;
      last[c] = 0;
      beat[c] = 0;
    end
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (ends < Jobs && cycle < `CYCLES) begin
      @(negedge clk);
      cycle = cycle + 1;
      desc_valid = rung < Jobs;
      desc = words[rung < Jobs ? rung : Jobs - 1];
      rsp_valid = rsp_late;
      line = line_late;
      pause;
      send;
      #4;
      look;
      take;
    end
    for (c = 0; c < C; c = c + 1) used = used + (last[c] != 0);
    $display("pages %0d over %0d channels, beats %0d, programs %0d", pages, used, beats, programs);
    $display("unknown %0d ends %0d", unknown, ends);
    $finish;
  end
endmodule
