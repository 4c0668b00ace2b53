// SPDX-License-Identifier: Apache-2.0
// The array of ordinary multipliers: in a slot of eight cycles, 8 * Mults weights of each of Streams
// rows times the activations of one token. It replaces TriMoE's bit-serial array (ndp_gemv_unit), has the
// same load interface, and adds like any FP32 unit: products are exact, a block is summed in pairs of
// neighbours, pairs of pairs and so on, each sum rounded to nearest even, and the blocks of a row follow
// in ascending order. - A word of 32 values per stream is loaded in each of the first Words cycles, word
// 0 with meta_i,
//   token_i, first_i and last_i; the next slot comes at least SlotCycles later. Without
//   load_weights_i the weights stay.
// - first_i starts the sums of the token over; last_i asks for the results, which come Latency cycles
//   after the load of word 0, a value a stream, with that slot's meta_i. Nothing holds them up.
// The age of a slot is the number of cycles since its word 0; all streams do the same at one age.
`include "assert.svh"
module plain_array #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Mults = 16,  // of a stream
  parameter int unsigned MaxTokens = 64,
  parameter int unsigned MetaBits = 16,
  localparam int unsigned SlotCycles = 8,
  localparam int unsigned Words = SlotCycles * Mults / 32,
  localparam int unsigned WordBits = $clog2(Words),
  localparam int unsigned TokenBits = $clog2(MaxTokens)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  load_valid_i,
  input  logic [WordBits-1:0]   load_word_i,
  input  logic                  load_weights_i,
  input  logic [511:0]          x_i,
  input  logic [Streams*512-1:0] weights_i,
  input  logic [MetaBits-1:0]   meta_i,
  input  logic [TokenBits-1:0]  token_i,
  input  logic                  first_i,
  input  logic                  last_i,
  output logic                  res_valid_o,
  output logic [Streams*16-1:0] res_data_o,
  output logic [MetaBits-1:0]   res_meta_o,
  output logic                  busy_o
);
  localparam int unsigned AddStages = 6;
  localparam int unsigned Steps = SlotCycles;          // a step: Mults values of a stream
  localparam int unsigned StepBits = Mults * 16;
  localparam int unsigned StepsPerWord = 32 / Mults;
  localparam int unsigned Levels = $clog2(Mults);      // of the tree over the multipliers
  localparam int unsigned Tree = 3;                    // age of the first products
  localparam int unsigned Fold = Tree + AddStages * Levels;  // of the first sum of a step
  // Of the sum of two, four and eight steps: the last of them, and its addition.
  localparam int unsigned Two = Fold + 1;
  localparam int unsigned Four = Two + AddStages + 2;
  localparam int unsigned Eight = Four + AddStages + 4;
  localparam int unsigned Sum = Eight + AddStages;     // the block's
  localparam int unsigned Total = Sum + AddStages;     // the row's, so far
  localparam int unsigned Latency = Total + 2;
  localparam int unsigned RingBits = $clog2(Latency / SlotCycles + 1);

  logic start;
  logic [Latency:1] age_q;  // bit n: a slot of age n
  assign start = load_valid_i && load_word_i == '0;
  assign busy_o = age_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) age_q <= '0;
    else age_q <= {age_q[Latency-1:1], start};
  end

  // A stage that begins with a slot of age `from` works in the cycles of all its steps, or in those of
  // every second, fourth and eighth one.
  function automatic logic [AddStages-1:0] enables(
    input logic [Latency:1] age,
    input int unsigned from,
    input int unsigned every
  );
    enables = '0;
    for (int unsigned stage = 0; stage < AddStages; stage++) begin
      for (int unsigned step = 0; step < Steps; step += every) begin
        enables[stage] = enables[stage] | age[from+stage+step];
      end
    end
  endfunction

  // Of a slot, from its start to its result.
  logic [RingBits-1:0] start_q, fetch_q, total_q, done_q;
  logic [TokenBits-1:0] tokens_q[1<<RingBits];
  logic [MetaBits-1:0] metas_q[1<<RingBits];
  logic [(1<<RingBits)-1:0] firsts_q, lasts_q;
  logic first_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= '0;
      fetch_q <= '0;
      total_q <= '0;
      done_q <= '0;
    end else begin
      start_q <= start_q + RingBits'(start);
      fetch_q <= fetch_q + RingBits'(age_q[Sum-1]);
      total_q <= total_q + RingBits'(age_q[Total]);
      done_q <= done_q + RingBits'(age_q[Latency]);
    end
    if (start) begin
      tokens_q[start_q] <= token_i;
      metas_q[start_q] <= meta_i;
      firsts_q[start_q] <= first_i;
      lasts_q[start_q] <= last_i;
    end
    if (age_q[Sum-1]) first_q <= firsts_q[fetch_q];
  end

  assign res_valid_o = age_q[Latency] && lasts_q[done_q];
  assign res_meta_o = metas_q[done_q];

  // Which step is multiplied.
  logic multiplies;
  logic [WordBits-1:0] word;
  logic [$clog2(StepsPerWord)-1:0] part;
  always_comb begin
    multiplies = 1'b0;
    {word, part} = '0;
    for (int unsigned s = 0; s < Steps; s++) begin
      if (age_q[1+s]) begin
        multiplies = 1'b1;
        {word, part} = {word, part} | $clog2(Steps)'(s);
      end
    end
  end

  // A word is read in the StepsPerWord cycles after the one before it: the next slot's comes later.
  logic [511:0] x_q[Words];
  logic [StepBits-1:0] x;
  logic [1:0] multiply_en;
  logic normalises_q;
  always_ff @(posedge clk_i) begin
    if (load_valid_i) x_q[load_word_i] <= x_i;
    normalises_q <= rst_ni && multiplies;
  end
  assign x = x_q[word][part*StepBits+:StepBits];
  assign multiply_en = {normalises_q, multiplies};

  logic [Streams*32-1:0] totals, so_far;

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    logic [511:0] weights_q[Words];
    logic [StepBits-1:0] weights;
    logic [31:0] sum_two, sum_four, held_q, held_two_q, held_four_q, sum;

    always_ff @(posedge clk_i) begin
      if (load_valid_i && load_weights_i) weights_q[load_word_i] <= weights_i[s*512+:512];
    end
    assign weights = weights_q[word][part*StepBits+:StepBits];

    // Level 0 holds the products, level l the sums of 2^l.
    for (genvar l = 0; l <= Levels; l++) begin : gen_level
      logic [(Mults>>l)*32-1:0] sums;
      for (genvar m = 0; m < Mults >> l; m++) begin : gen_node
        if (l == 0) begin : gen_product
          fp16_multiply u_multiply (
            .clk_i(clk_i),
            .en_i(multiply_en),
            .a_i(weights[m*16+:16]),
            .b_i(x[m*16+:16]),
            .product_o(sums[m*32+:32])
          );
        end else begin : gen_add
          fp_add u_add (
            .clk_i(clk_i),
            .en_i(enables(age_q, Tree + AddStages * (l - 1), 1)),
            .a_i(gen_level[l-1].sums[2*m*32+:32]),
            .b_i(gen_level[l-1].sums[(2*m+1)*32+:32]),
            .sum_o(sums[m*32+:32])
          );
        end
      end
    end

    // Sums of steps: the first of a pair waits for the second.
    always_ff @(posedge clk_i) begin
      held_q <= gen_level[Levels].sums;
      if (age_q[Two+AddStages] || age_q[Two+AddStages+4]) held_two_q <= sum_two;
      if (age_q[Four+AddStages]) held_four_q <= sum_four;
    end

    fp_add u_two (
      .clk_i(clk_i),
      .en_i(enables(age_q, Two, 2)),
      .a_i(held_q),
      .b_i(gen_level[Levels].sums),
      .sum_o(sum_two)
    );
    fp_add u_four (
      .clk_i(clk_i),
      .en_i(enables(age_q, Four, 4)),
      .a_i(held_two_q),
      .b_i(sum_two),
      .sum_o(sum_four)
    );
    fp_add u_eight (
      .clk_i(clk_i),
      .en_i(enables(age_q, Eight, 8)),
      .a_i(held_four_q),
      .b_i(sum_four),
      .sum_o(sum)
    );
    // What comes first is added to -0, which changes nothing.
    fp_add u_total (
      .clk_i(clk_i),
      .en_i(enables(age_q, Sum, 8)),
      .a_i(first_q ? 32'h80000000 : so_far[s*32+:32]),
      .b_i(sum),
      .sum_o(totals[s*32+:32])
    );
    fp_narrow u_narrow (
      .clk_i(clk_i),
      .en_i({age_q[Total+1], age_q[Total]}),
      .bf16_i(1'b0),
      .value_i(totals[s*32+:32]),
      .value_o(res_data_o[s*16+:16])
    );
  end

  // Slots are SlotCycles apart: a total is written in the cycle before the next one is read.
  sram_1r1w #(
    .Words(MaxTokens),
    .DataBits(Streams * 32)
  ) u_totals (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(age_q[Total]),
    .wr_addr_i(tokens_q[total_q]),
    .wr_data_i(totals),
    .rd_valid_i(age_q[Sum-1]),
    .rd_addr_i(tokens_q[fetch_q]),
    .rd_data_o(so_far)
  );

  `ASSERT(WordsInOrder_A, load_valid_i && load_word_i != WordBits'(Words - 1) |=>
      load_valid_i && load_word_i == $past(load_word_i) + WordBits'(1))
  `ASSERT(SlotsApart_A, start |-> age_q[SlotCycles-1:1] == '0)

  if (Mults != 8 && Mults != 16) begin : gen_bad_mults
    $error("plain_array: Mults must be 8 or 16: words come in half of a slot's cycles");
  end
endmodule
