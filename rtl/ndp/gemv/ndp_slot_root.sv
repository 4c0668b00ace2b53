// SPDX-License-Identifier: Apache-2.0
// The block sums of a slot, one stream per cycle: converted to FP32, added to the accumulator of (token,
// stream), and narrowed to the result format in every cycle. A slot arrives with valid_i, at least max(Streams,
// AccumulateLoop) cycles after the previous slot. Its sums, ranks and factors stay for Streams cycles; token
// and first_i are sampled with valid_i. first_i restarts the accumulator. done_o strobes with the slot's
// results, stream 0 in the low bits, ndp_pkg::term_stages + AddStages + NarrowStages + Streams cycles after
// valid_i.
`include "assert.svh"
module ndp_slot_root #(
  parameter int unsigned Streams = 8,
  parameter int unsigned SumBits = 53,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  parameter int unsigned MaxTokens = 64,
  parameter bit LowBit = 1'b0,
  localparam int unsigned TokenBits = $clog2(MaxTokens)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 bf16_i,
  input  logic [2:0]                           format_i,
  input  logic                                 halves_i,
  input  logic                                 valid_i,
  input  logic [TokenBits-1:0]                 token_i,
  input  logic                                 first_i,
  input  logic [Streams*SumBits-1:0]           sums_i,
  input  logic [Streams*SumBits-1:0]           rest_i,
  input  logic [Streams*ndp_pkg::RankBits-1:0] ranks_i,
  input  logic [Streams*ndp_pkg::ScaleBits-1:0] factors_i,
  output logic                                 done_o,
  output logic [Streams*16-1:0]                results_o,
  output logic                                 busy_o
);
  localparam int unsigned Rank = ndp_pkg::RankBits;
  localparam int unsigned Fetch = ndp_pkg::term_stages(LowBit) - 1;  // the accumulator is addressed
  localparam int unsigned Add = ndp_pkg::term_stages(LowBit);
  localparam int unsigned Write = Add + ndp_pkg::AddStages;
  localparam int unsigned Collect = Write + ndp_pkg::NarrowStages;
  localparam int unsigned Index = (Streams > 1) ? $clog2(Streams) : 1;
  localparam int unsigned Acc = TokenBits + $clog2(Streams);  // an accumulator's address

  logic done_q;
  logic [Streams*16-1:0] results_q;
  assign done_o = done_q;
  assign results_o = results_q;

  // Stage 0: which stream.
  logic [Streams-1:0] turn_q;  // streams after this cycle's, one-hot
  logic [Streams-1:0] turn;
  logic [TokenBits-1:0] token_q;
  logic first_q;
  logic [TokenBits-1:0] token;
  logic first;
  logic [Index-1:0] stream;
  logic [SumBits-1:0] sum;
  logic [Rank-1:0] rank;

  assign turn = valid_i ? Streams'(1) : turn_q;
  assign token = valid_i ? token_i : token_q;
  assign first = valid_i ? first_i : first_q;

  always_comb begin
    stream = '0;
    sum = '0;
    rank = '0;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (turn[s]) begin
        stream = stream | Index'(s);
        sum = sum | sums_i[s*SumBits+:SumBits];
        rank = rank | ranks_i[s*Rank+:Rank];
      end
    end
  end

  // Marks of a stream: stage k is bit k, or slice k, of each.
  logic [Collect:1] valid_q;
  logic [Collect:1] last_q;  // the slot's last stream
  logic [Add:1] first_pipe_q;
  logic [Write*Acc-1:0] addr_q;

  logic [Acc-1:0] addr;
  if (Streams > 1) begin : gen_addr
    assign addr = {token, stream};
  end else begin : gen_addr_token
    assign addr = token;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q <= '0;
      valid_q <= '0;
      done_q <= 1'b0;
    end else begin
      turn_q <= turn << 1;
      valid_q <= {valid_q[Collect-1:1], turn != '0};
      done_q <= valid_q[Collect] && last_q[Collect];
    end
    if (valid_i) begin
      token_q <= token_i;
      first_q <= first_i;
    end
    if (busy_o) begin
      last_q <= {last_q[Collect-1:1], turn[Streams-1]};
      first_pipe_q <= {first_pipe_q[Add-1:1], first};
      addr_q <= {addr_q[(Write-1)*Acc-1:0], addr};
    end
  end

  assign busy_o = (turn != '0) || (valid_q != '0) || done_q;

  logic [31:0] term;
  logic [31:0] accumulator;
  logic [31:0] total;
  logic [15:0] result;

  if (LowBit) begin : gen_scaled
    logic [SumBits-1:0] rest;
    logic [ndp_pkg::ScaleBits-1:0] factors;

    always_comb begin
      rest = '0;
      factors = '0;
      for (int unsigned s = 0; s < Streams; s++) begin
        if (turn[s]) begin
          rest = rest | rest_i[s*SumBits+:SumBits];
          factors = factors | factors_i[s*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits];
        end
      end
    end

    ndp_scaled_terms #(
      .SumBits(SumBits),
      .AlignedBits(AlignedBits)
    ) u_terms (
      .clk_i(clk_i),
      .en_i({valid_q[Add-1:1], turn != '0}),
      .bf16_i(bf16_i),
      .format_i(format_i),
      .halves_i(halves_i),
      .sum_i(sum),
      .rest_i(rest),
      .rank_i(rank),
      .factors_i(factors),
      .term_o(term)
    );
  end else begin : gen_plain
    fp_normalise #(
      .SumBits(SumBits),
      .AlignedBits(AlignedBits)
    ) u_normalise (
      .clk_i(clk_i),
      .en_i({valid_q[Add-1:1], turn != '0}),
      .bf16_i(bf16_i),
      .sum_i(sum),
      .rank_i(rank),
      .value_o(term)
    );
  end

  sram_1r1w #(
    .Words(MaxTokens * Streams),
    .DataBits(32)
  ) u_accumulators (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(valid_q[Write]),
    .wr_addr_i(addr_q[(Write-1)*Acc+:Acc]),
    .wr_data_i(total),
    .rd_valid_i(valid_q[Fetch]),
    .rd_addr_i(addr_q[(Fetch-1)*Acc+:Acc]),
    .rd_data_o(accumulator)
  );

  // -0 is the neutral element of the addition.
  fp_add u_add (
    .clk_i(clk_i),
    .en_i(valid_q[Add+:ndp_pkg::AddStages]),
    .a_i(first_pipe_q[Add] ? 32'h80000000 : accumulator),
    .b_i(term),
    .sum_o(total)
  );

  fp_narrow u_narrow (
    .clk_i(clk_i),
    .en_i(valid_q[Write+:ndp_pkg::NarrowStages]),
    .bf16_i(bf16_i),
    .value_i(total),
    .value_o(result)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[Collect]) results_q <= (Streams * 16)'({result, results_q} >> 16);
  end

  `IMPLIES(SlotsApart_A, valid_i, turn_q == '0)
endmodule
