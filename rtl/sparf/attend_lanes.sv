// SPDX-License-Identifier: Apache-2.0
// Weighted sums of values: Lanes values times a weight (FP32, 0 or 2^-64 .. 1), rounded to FP32,
// added to the partial sums at address_i, which are taken as 0 when empty_i says so. An address may
// come again eight cycles later. Between rows the adders fold: data of a read, or the last sum, are
// held as one operand, or added to what is held; the sum is there six cycles later and stays.
`include "assert.svh"
module attend_lanes #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Words = 512,
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   row_valid_i,
  input  logic [31:0]            weight_i,
  input  logic [Lanes*16-1:0]    values_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic                   empty_i,
  input  logic                   fold_read_i,      // data come a cycle later
  input  logic [AddressBits-1:0] fold_address_i,
  input  logic                   fold_empty_i,     // with the data
  input  logic                   fold_hold_data_i,
  input  logic                   fold_hold_sum_i,
  input  logic                   fold_add_data_i,
  input  logic                   fold_add_sum_i,
  output logic [Lanes*32-1:0]    sums_o
);
  localparam int unsigned PB = 35;  // 24 bits by 11
  localparam int unsigned AddStages = 6;
  // Exponent field of a product with its leading one at the top, less both fields: weight
  // 2^(f - 150) mw, value 2^(e - 25) mv, so 2^(f + e - 175 + 34 + 127) = 2^(f + e - 14).
  localparam logic [8:0] FieldOffset = 9'd14;

  logic product_valid_q, rounded_valid_q, product_empty_q, rounded_empty_q;
  logic [AddressBits-1:0] product_address_q, rounded_address_q;
  logic [Lanes*32-1:0] rounded_q, partial;
  logic [PB-1:0] product_q[Lanes];
  logic [8:0] field_q[Lanes];
  logic negative_q[Lanes];
  logic [AddStages-2:0] add_q;
  logic [AddStages-1:0] write_q;
  logic [AddressBits-1:0] add_address_q[AddStages];
  logic [Lanes*32-1:0] hold_q;
  logic add;

  sram_1r1w #(
    .Words(Words),
    .DataBits(Lanes * 32)
  ) u_partial (
    .clk_i(clk_i),
    .wr_valid_i(write_q[AddStages-1]),
    .wr_addr_i(add_address_q[AddStages-1]),
    .wr_data_i(sums_o),
    .rd_valid_i((product_valid_q && !product_empty_q) || fold_read_i),
    .rd_addr_i(fold_read_i ? fold_address_i : product_address_q),
    .rd_data_o(partial)
  );

  /* verilator lint_off BLKSEQ */
  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [15:0] value;
      value = values_i[i*16 +: 16];
      negative_q[i] = value[15];
      product_q[i] = weight_i[30:23] == '0 ? '0
          : PB'({1'b1, weight_i[22:0]}) * PB'({value[14:10] != '0, value[9:0]});
      field_q[i] = 9'(weight_i[30:23]) + 9'(value[14:10]) + 9'(value[14:10] == '0) - FieldOffset;
    end
  endtask

  task automatic round();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [PB-1:0] shifted;
      logic [8:0] field;
      logic [30:0] magnitude;
      shifted = product_q[i];
      field = field_q[i];
      for (int unsigned step = 8; step >= 1; step = step / 2) begin
        if ((shifted >> (PB - step)) == '0) begin
          shifted = shifted << step;
          field = field - 9'(step);
        end
      end
      // The leading one adds one to the field.
      magnitude = {field[7:0] - 8'd1, 23'd0} + 31'(shifted[PB-1 -: 24]) +
          31'(shifted[10] && (shifted[9:0] != '0 || shifted[11]));
      rounded_q[i*32 +: 32] <= {negative_q[i], shifted[PB-1] ? magnitude : 31'd0};
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (product_valid_q) round();
    if (row_valid_i) multiply();
  end
  /* verilator lint_on BLKSEQ */

  assign add = rounded_valid_q || fold_add_data_i || fold_add_sum_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      product_valid_q <= 1'b0;
      rounded_valid_q <= 1'b0;
      add_q <= '0;
      write_q <= '0;
    end else begin
      product_valid_q <= row_valid_i;
      rounded_valid_q <= product_valid_q;
      add_q <= {add_q[AddStages-3:0], add};
      write_q <= {write_q[AddStages-2:0], rounded_valid_q};
    end
    if (row_valid_i) begin
      product_address_q <= address_i;
      product_empty_q <= empty_i;
    end
    if (product_valid_q) begin
      rounded_address_q <= product_address_q;
      rounded_empty_q <= product_empty_q;
    end
    if (rounded_valid_q || write_q != '0) begin
      add_address_q[0] <= rounded_address_q;
      for (int unsigned s = 1; s < AddStages; s++) add_address_q[s] <= add_address_q[s-1];
    end
    if (fold_hold_data_i) hold_q <= fold_empty_i ? '0 : partial;
    else if (fold_hold_sum_i) hold_q <= sums_o;
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    fp_add u_add (
      .clk_i(clk_i),
      .en_i({add_q, add}),
      .a_i(!rounded_valid_q ? hold_q[l*32 +: 32] : rounded_empty_q ? '0 : partial[l*32 +: 32]),
      .b_i(rounded_valid_q ? rounded_q[l*32 +: 32] : fold_add_sum_i ? sums_o[l*32 +: 32]
           : fold_empty_i ? '0 : partial[l*32 +: 32]),
      .sum_o(sums_o[l*32 +: 32])
    );
  end

  `ASSERT(WeightIsPositive_A, row_valid_i |-> !weight_i[31])
  `ASSERT(NoRowWhileFolding_A,
          (row_valid_i || product_valid_q || rounded_valid_q) |->
          !(fold_read_i || fold_add_data_i || fold_add_sum_i))
endmodule
