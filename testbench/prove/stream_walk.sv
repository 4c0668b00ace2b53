// SPDX-License-Identifier: Apache-2.0
// The bursts that one stream reads for a plan, in order, by the indices of nested loops: in each pass the
// stream's share of each token's inputs, then rows of gate and up alternately, then rows of down.
// Every address is its base plus an index times a stride. step_i advances, by a block among weights.
// Written for proofs, independently of ndp_stream_fetch.
module stream_walk #(
  parameter int unsigned Streams = 1,
  parameter int unsigned Stream = 0,
  parameter int unsigned WeightStep = 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              start_i,
  input  dimm_ndp_pkg::plan_t               plan_i,
  input  logic                              step_i,
  output logic                              more_o,
  output logic                              weights_o,  // the burst is one of weights
  output logic [dimm_ndp_pkg::AddrBits-1:0] addr_o
);
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;

  // The kind of burst: inputs, gate, up, down.
  logic [1:0] what_q, what;
  logic more_q, more;
  logic [CB-1:0] pass_q, pass;    // tokens of the passes before
  logic [CB-1:0] token_q, token;  // of the pass
  logic [RB-1:0] row_q, row;
  logic [CB-1:0] burst_q, burst;

  logic [CB-1:0] share, rest, tokens, length, ahead;
  always @* begin
    share = '0;
    for (int unsigned w = 0; w < (1 << CB); w++) begin
      if (CB'(w) < plan_i.in_words && w % Streams == Stream) share = share + 1'b1;
    end
    rest = plan_i.tokens - pass_q;
    tokens = rest < plan_i.pass_tokens ? rest : plan_i.pass_tokens;
    length = what_q == 2'd3 ? plan_i.down_bursts : plan_i.gu_bursts;
    ahead = what_q == 2'd0 ? CB'(1) : CB'(WeightStep);
  end

  logic [1:0] first_weights;
  assign first_weights = plan_i.op == dimm_ndp_pkg::OpLinear ? 2'd3
      : plan_i.op == dimm_ndp_pkg::OpGated ? 2'd1 : 2'd2;
  always @* begin
    {what, more, pass, token, row, burst} = {what_q, more_q, pass_q, token_q, row_q, burst_q};
    if (start_i) begin
      more = 1'b1;
      {pass, token, row, burst} = '0;
      what = share == '0 ? first_weights : 2'd0;
    end else if (step_i) begin
      burst = burst_q + ahead;
      if (what_q == 2'd0) begin
        if (burst == share) begin
          burst = '0;
          token = token_q + 1'b1;
          if (token == tokens) what = first_weights;
        end
      end else if (burst == length) begin
        burst = '0;
        if (what_q == 2'd1) what = 2'd2;
        else begin
          row = row_q + 1'b1;
          if (what_q == 2'd2) begin
            if (row == plan_i.mid_groups) begin
              row = '0;
              what = 2'd3;
            end else what = first_weights;
          end else if (row == plan_i.out_groups) begin
            row = '0;
            token = '0;
            pass = pass_q + tokens;
            what = share == '0 ? first_weights : 2'd0;
            more = pass != plan_i.tokens;
          end
        end
      end
    end
  end
  always @(posedge clk_i) begin
    {what_q, pass_q, token_q, row_q, burst_q} <= {what, pass, token, row, burst};
    more_q <= more && rst_ni;
  end

  always @* begin
    case (what_q)
      2'd0: addr_o = plan_i.x_base + AB'(pass_q + token_q) * plan_i.x_stride + AB'(burst_q);
      2'd1: addr_o = plan_i.gate_base + AB'(row_q) * plan_i.gu_stride + AB'(burst_q);
      2'd2: addr_o = plan_i.up_base + AB'(row_q) * plan_i.gu_stride + AB'(burst_q);
      default: addr_o = plan_i.down_base + AB'(row_q) * plan_i.down_stride + AB'(burst_q);
    endcase
  end
  assign more_o = more_q;
  assign weights_o = what_q != 2'd0;
endmodule
