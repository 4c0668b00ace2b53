// SPDX-License-Identifier: Apache-2.0
// Decodes a descriptor of a head into the context of the front and the head of the kernel. A descriptor is read
// in cycles of load_i; derive_i and clamp_i are the two cycles after the last of them, and the outputs belong
// to the descriptor from then on. k and the window are clamped to S, so that the counters of the kernel can
// represent them.
module sparf_head_fields #(
  parameter int unsigned Width = 128
) (
  input  logic                            clk_i,
  input  logic                            load_i,
  input  logic                            derive_i,
  input  logic                            clamp_i,
  input  logic [sparf_pkg::DescBits-1:0]  desc_i,
  output sparf_pkg::context_t             context_o,
  output sparf_pkg::head_t                head_o,
  output logic                            mean_wanted_o,  // a sparse head with the mean
  output logic [sparf_pkg::AddrBits-1:0]  q_line_o,
  output logic [sparf_pkg::CountBits-1:0] query_lines_o,  // of the whole group
  output logic [sparf_pkg::AddrBits-1:0]  sum_line_o
);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned LogWidth = $clog2(Width);
  localparam int unsigned LogRowLines = $clog2(sparf_pkg::row_lines(Width));

  logic [31:0] words[sparf_pkg::DescWords];
  for (genvar w = 0; w < sparf_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc_i[w*32+:32];
  end

  sparf_pkg::context_t context_q;
  sparf_pkg::head_t head_q;
  logic [sparf_pkg::AddrBits-1:0] q_line_q, sum_line_q;
  logic [CB-1:0] queries_q;
  // No state machine: with one-hot encoding and without a reset, no bit or several bits could be 1 at first.
  (* fsm_encoding = "none" *) logic [3:0] page_log_q;
  logic [CB-1:0] beats_q;  // beats of a selection of all tokens
  logic [3:0] block_log;   // of tokens in a block
  logic fewer_q, take_fits_q, window_fits_q;
  assign block_log = page_log_q - 4'd1 - 4'(context_q.log_dims);
  assign context_o = context_q;
  assign head_o = head_q;
  assign mean_wanted_o = !context_q.dense && head_q.mean_enable;
  assign q_line_o = q_line_q;
  assign query_lines_o = queries_q;
  assign sum_line_o = sum_line_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      context_q.tag <= words[sparf_pkg::DescMode][31:16];
      context_q.dense <= words[sparf_pkg::DescMode][3:0] == sparf_pkg::OpDense;
      context_q.log_dims <= words[sparf_pkg::DescMode][9:8];
      context_q.tokens <= words[sparf_pkg::DescTokens][CB-1:0];
      context_q.dims <= words[sparf_pkg::DescDims][CB-1:0];
      context_q.dim_flash <= words[sparf_pkg::DescDimFlash][CB-1:0];
      context_q.token_flash <= words[sparf_pkg::DescTokenFlash][CB-1:0];
      context_q.head <= words[sparf_pkg::DescHead];
      context_q.k_line <= words[sparf_pkg::DescKLine];
      context_q.v_line <= words[sparf_pkg::DescVLine];
      context_q.out_line <= words[sparf_pkg::DescOutLine];
      page_log_q <= sparf_pkg::log2_of(words[sparf_pkg::DescPageBytes][15:0]);
      q_line_q <= words[sparf_pkg::DescQLine];
      sum_line_q <= words[sparf_pkg::DescSumLine];
      beats_q <= CB'(sparf_pkg::beats_of(words[sparf_pkg::DescTokens][CB-1:0]));
      head_q.dense <= words[sparf_pkg::DescMode][3:0] == sparf_pkg::OpDense;
      head_q.mean_enable <= words[sparf_pkg::DescMode][12];
      head_q.group <= sparf_pkg::GroupBits'(words[sparf_pkg::DescMode][7:4]) + 1'b1;
      head_q.tokens <= words[sparf_pkg::DescTokens][CB-1:0];
      head_q.take <= words[sparf_pkg::DescTake][CB-1:0];
      head_q.window <= words[sparf_pkg::DescWindow][CB-1:0];
      head_q.dims <= words[sparf_pkg::DescDims][CB-1:0];
      head_q.scale <= words[sparf_pkg::DescScale];
      head_q.reciprocal <= words[sparf_pkg::DescReciprocal];
    end
    fewer_q <= head_q.take < beats_q;
    take_fits_q <= head_q.take < head_q.tokens;
    window_fits_q <= head_q.window < head_q.tokens;
    if (derive_i) begin
      context_q.dim_none <= context_q.dim_flash == '0;
      context_q.dim_all <= context_q.dim_flash == context_q.tokens;
      context_q.log_rows <= sparf_pkg::LogRowsBits'(page_log_q - 4'(1 + LogWidth));
      context_q.log_block <= block_log;
      queries_q <= CB'(head_q.group) << LogRowLines;
    end
    if (clamp_i) begin
      context_q.take <= take_fits_q ? head_q.take : head_q.tokens;
      if (!take_fits_q) head_q.take <= head_q.tokens;
      if (!window_fits_q) head_q.window <= head_q.tokens;
      context_q.sel_beats <= fewer_q ? head_q.take : beats_q;  // beats are no more than tokens
    end
  end
endmodule
