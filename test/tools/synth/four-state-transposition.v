// The transposition buffer from registers of x: two sets of two tiles, each of two dimensions, and a page of
// each dimension. An output that is x counts: of a stream the payload while it is valid.
`timescale 1ns / 1ns
module bench;
  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  reg set_valid = 0, line_valid = 0, page_valid = 0;
  reg [1:0] set_slot, page_slot;
  reg [3:0] set_base;
  reg [1:0] page_first;
  reg [63:0] line;
  wire set_ready, line_ready, filled_valid, page_ready, out_valid, out_last;
  wire [1:0] filled_slot, events;
  wire [63:0] out_data;
  wire [15:0] out_tag;
  transposition_buffer dut (
    .clk_i(clk), .rst_ni(rst_n), .set_valid_i(set_valid), .set_ready_o(set_ready), .set_slot_i(set_slot),
    .set_base_i(set_base), .set_first_i(2'd2), .set_log_dims_i(2'd1), .set_tiles_i(5'd2),
    .line_valid_i(line_valid), .line_ready_o(line_ready), .line_data_i(line),
    .filled_valid_o(filled_valid), .filled_slot_o(filled_slot), .page_valid_i(page_valid),
    .page_ready_o(page_ready), .page_slot_i(page_slot), .page_first_i(page_first), .page_dims_i(3'd1),
    .page_tag_i({12'd5, page_slot, page_first}), .out_valid_o(out_valid), .out_ready_i(1'b1),
    .out_data_o(out_data), .out_tag_o(out_tag), .out_last_o(out_last), .events_o(events)
  );
  integer unknown = 0, sets = 0, lines = 0, filled = 0, pages = 0, lasts = 0, cycle = 0;
  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (lasts < 4 && cycle < 1000) begin
      @(negedge clk);
      set_valid = sets < 2;
      set_slot = sets;
      set_base = 4 * sets;
      line_valid = lines < 16;
      line = {4{16'd100}} + lines;
      page_valid = filled == 2 && pages < 4;
      page_slot = pages / 2;
      page_first = pages % 2;
      #4;
      cycle = cycle + 1;
      if (^{set_ready, line_ready, filled_valid, page_ready, out_valid} === 1'bx) unknown = unknown + 1;
      if (cycle > 1 && ^events === 1'bx) unknown = unknown + 1;
      if (filled_valid === 1'b1) begin
        filled = filled + 1;
        if (^filled_slot === 1'bx) unknown = unknown + 1;
      end
      if (out_valid === 1'b1) begin
        if (^{out_data, out_tag, out_last} === 1'bx) unknown = unknown + 1;
        if (out_last === 1'b1) lasts = lasts + 1;
      end
      if (set_valid && set_ready === 1'b1) sets = sets + 1;
      if (line_valid && line_ready === 1'b1) lines = lines + 1;
      if (page_valid && page_ready === 1'b1) pages = pages + 1;
    end
    $display("unknown %0d filled %0d pages %0d", unknown, filled, lasts);
    $finish;
  end
endmodule
