// SPDX-License-Identifier: Apache-2.0
// The bit-serial multiplier of ndp_gemv_bank, by induction over its steps. Its state is the significand of a weight,
// the remaining digits of the serial operand, and a partial product. From any contents of all registers:
// - a load sets them to those of its operands, with a partial product of 0;
// - a step adds the weight times (*) one digit, at the digit's place, to any partial product;
// - nothing else changes them.
// So after n steps the partial product is the weight times the lowest n digits of the operand. The observed registers
// are those of lane 1 of the second multiplier, by name; all other registers have any contents.
`include "prove.svh"
module prove_ndp_serial_step #(
  parameter int unsigned Bits = 1,
  localparam int unsigned Mults = 2,
  localparam int unsigned Lanes = 2,
  localparam int unsigned SumAge = ndp_pkg::sum_age(Mults, Lanes, Bits),
  localparam int unsigned Steps = ndp_pkg::serial_steps(Bits)
) (
  input logic                         clk_i,
  input logic                         bf16_i,
  input logic                         load_valid_i,
  input logic                         load_lane_i,
  input logic                         load_weights_i,
  input logic [Mults*16-1:0]          x_i,
  input logic [Mults*16-1:0]          weights_i,
  input logic [SumAge:1]              age_i,
  input logic [ndp_pkg::RankBits-1:0] top_i
);
  localparam int unsigned Lane = 1;
  localparam int unsigned Low = Steps * Bits;
  localparam int unsigned Acc = 11 + Low;
  `WINDOW(1)
  ndp_gemv_bank #(
    .Streams(1),
    .Mults(Mults),
    .ArrayMults(Mults),
    .Lanes(Lanes),
    .Bits(Bits)
  ) u_dut (
    .clk_i(clk_i),
    .bf16_i(bf16_i),
    .load_valid_i(load_valid_i),
    .load_lane_i(load_lane_i),
    .load_weights_i(load_weights_i),
    .x_i(x_i),
    .weights_i(weights_i),
    .age_i(age_i),
    .top_i(top_i),
    .rank_o(),
    .sum_o(),
    .carry_o()
  );
  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [Acc-1:0] \u_dut.acc_q[3] ;
  (* hierconn *) logic [10:0] \u_dut.x_digits_q[3] ;
  (* hierconn *) logic [19:0] \u_dut.w_q[3] ;
  logic [Acc-1:0] acc, acc_q;
  logic [10:0] digits, weight, digits_q, weight_q;
  assign acc = \u_dut.acc_q[3] ;
  assign digits = \u_dut.x_digits_q[3] ;
  assign weight = 11'(\u_dut.w_q[3] );

  function automatic logic [10:0] significand(input logic [15:0] value, input logic bf16);
    significand = bf16 ? {value[14:7] != '0, value[6:0], 3'd0} : {value[14:10] != '0, value[9:0]};
  endfunction
  function automatic logic finite(input logic [15:0] value, input logic bf16);
    finite = bf16 ? value[14:7] != '1 : value[14:10] != '1;
  endfunction

  logic loads_q, steps_q, weights_q, finite_q;
  logic [10:0] new_digits_q, new_weight_q;
  logic [Steps-1:0] slot, slot_q;  // bit n: the step of digit n
  assign slot = age_i[Lane+1+:Steps];
  always @(posedge clk_i) begin
    if (enters) begin
      loads_q <= load_valid_i && load_lane_i == 1'(Lane);
      slot_q <= slot;
      acc_q <= acc;
      digits_q <= digits;
      weight_q <= weight;
      weights_q <= load_weights_i;
      finite_q <= finite(x_i[31:16], bf16_i) && finite(weights_i[31:16], bf16_i);
      new_digits_q <= significand(x_i[31:16], bf16_i);
      new_weight_q <= significand(weights_i[31:16], bf16_i);
    end
  end
  assign steps_q = slot_q != '0;

  // After n digits the partial product is above Low - n * Bits meaningless bits.
  logic begun, stepped;
  assign begun = acc >> Low == '0 && digits == new_digits_q &&
      weight == (weights_q ? new_weight_q : weight_q);
  always @* begin
    stepped = digits == digits_q >> Bits && weight == weight_q;
    for (int unsigned n = 0; n < Steps; n++) begin
      if (slot_q[n] && acc >> (Low - (n + 1) * Bits) != (acc_q >> (Low - n * Bits)) +
          ((Acc'(weight_q) * Acc'(digits_q[Bits-1:0])) << (n * Bits))) stepped = 1'b0;
    end
  end
  // The steps of a slot are over when the next is loaded.
  `AT_THE_END(Begins, !loads_q || steps_q || !finite_q || begun)
  `AT_THE_END(Step, loads_q || !steps_q || stepped)
  `AT_THE_END(Stays, loads_q || steps_q ||
              (acc == acc_q && digits == digits_q && weight == weight_q))
endmodule
