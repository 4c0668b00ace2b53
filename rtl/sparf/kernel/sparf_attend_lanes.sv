// SPDX-License-Identifier: Apache-2.0
// Weighted sums of values: Lanes values times a weight (FP32, 0 or 2^-64 .. 1), rounded to FP32, added to the
// partial sums at address_i; empty_i replaces these by 0. At least sixteen cycles separate two uses of an
// address. Between rows the adders fold: the data of a read (two cycles after it) or the last sum are stored as
// one operand, or added to the stored operand. The sum is valid sparf_kernel_pkg::AddStages + 1 cycles later
// and stays.
`include "assert.svh"
module sparf_attend_lanes #(
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
  input  logic                   fold_read_i,      // data arrive two cycles later
  input  logic [AddressBits-1:0] fold_address_i,
  input  logic                   fold_empty_i,     // with the data
  input  logic                   fold_hold_data_i,
  input  logic                   fold_hold_sum_i,
  input  logic                   fold_add_data_i,
  input  logic                   fold_add_sum_i,
  output logic [Lanes*32-1:0]    sums_o
);
  localparam int unsigned PB = 35;  // 24 bits by 11
  localparam int unsigned AddStages = sparf_kernel_pkg::AddStages;
  // Operands, product, a second register (as in multipliers of an FPGA), its leading one to
  // the top by 8, by 4, by 2 and 1, the increment of rounding, rounding.
  localparam int unsigned Stages = sparf_kernel_pkg::WeightedStages;
  localparam int unsigned ReadStage = Stages - 3;  // read, data, their register
  // Exponent field of a product with its leading one at the top, less both fields: weight
  // 2^(f - 150) mw, value 2^(e - 25) mv, so 2^(f + e - 175 + 34 + 127) = 2^(f + e - 14).
  localparam logic [8:0] FieldOffset = 9'd14;

  logic [Stages-1:0] valid_q, empty_q;
  logic [Stages*AddressBits-1:0] address_q;
  // Significands and exponent fields.
  logic [23:0] weight_q;
  logic [7:0] weight_field_q;
  logic [10:0] value_q[Lanes];
  logic [4:0] value_field_q[Lanes];
  logic [Lanes-1:0] value_negative_q;
  logic [Lanes*32-1:0] rounded_q, partial, operand_q, hold_q, a_q, b_q;
  logic [PB-1:0] multiplied_q[Lanes], product_q[Lanes], by_eight_q[Lanes], by_four_q[Lanes];
  logic [PB-1:0] raised_q[Lanes];
  logic [8:0] sum_q[Lanes], field_q1[Lanes], field_q2[Lanes], field_q3[Lanes], field_q4[Lanes];
  logic [7:0] field_q5[Lanes];
  logic [3:0] moved_q[Lanes];  // by 8, 4, 2, 1; the field follows a stage behind
  logic [22:0] fraction_q[Lanes];
  logic [Stages-3:0] negative_q[Lanes];
  logic [Lanes-1:0] up_q, zero_q;
  logic [AddStages-1:0] add_q;  // the adders' operands are valid, and so on
  logic [AddStages:0] write_q;
  logic [(AddStages+1)*AddressBits-1:0] add_address_q;
  logic rounded, add, flows, read, read_q;
  assign rounded = valid_q[Stages-1];
  assign flows = row_valid_i || valid_q != '0;
  assign read = (valid_q[ReadStage] && !empty_q[ReadStage]) || fold_read_i;

  sram_1r1w #(
    .Words(Words),
    .DataBits(Lanes * 32)
  ) u_partial (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(write_q[AddStages]),
    .wr_addr_i(add_address_q[AddStages*AddressBits +: AddressBits]),
    .wr_data_i(sums_o),
    .rd_valid_i(read),
    .rd_addr_i(fold_read_i ? fold_address_i : address_q[ReadStage*AddressBits +: AddressBits]),
    .rd_data_o(partial)
  );

  function automatic logic [PB-1:0] raised(input logic [PB-1:0] product, input int unsigned step);
    raised = (product >> (PB - step)) == '0 ? product << step : product;
  endfunction

  task automatic take();
    weight_q = {weight_i[30:23] != '0, weight_i[22:0]};
    weight_field_q = weight_i[30:23];
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [15:0] value;
      value = values_i[i*16 +: 16];
      value_negative_q[i] = value[15];
      value_q[i] = {value[14:10] != '0, value[9:0]};
      value_field_q[i] = {value[14:11], value[10] || value[14:10] == '0};
    end
  endtask

  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      negative_q[i][0] = value_negative_q[i];
      multiplied_q[i] = PB'(weight_q) * PB'(value_q[i]);
      sum_q[i] = 9'(weight_field_q) + 9'(value_field_q[i]);
    end
  endtask

  task automatic hold();
    for (int unsigned i = 0; i < Lanes; i++) begin
      product_q[i] = multiplied_q[i];
      field_q1[i] = sum_q[i] - FieldOffset;
    end
  endtask

  task automatic raise_eight();
    for (int unsigned i = 0; i < Lanes; i++) begin
      by_eight_q[i] = raised(product_q[i], 8);
      moved_q[i][3] = (product_q[i] >> (PB - 8)) == '0;
      field_q2[i] = field_q1[i];
    end
  endtask

  task automatic raise_four();
    for (int unsigned i = 0; i < Lanes; i++) begin
      field_q3[i] = field_q2[i] - {5'd0, moved_q[i][3], 3'd0};
      by_four_q[i] = raised(by_eight_q[i], 4);
      moved_q[i][2] = (by_eight_q[i] >> (PB - 4)) == '0;
    end
  endtask

  task automatic raise_near();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [PB-1:0] by_two;
      field_q4[i] = field_q3[i] - {6'd0, moved_q[i][2], 2'd0};
      by_two = raised(by_four_q[i], 2);
      raised_q[i] = raised(by_two, 1);
      moved_q[i][1:0] = {(by_four_q[i] >> (PB - 2)) == '0, !by_two[PB-1]};
    end
  endtask

  task automatic decide();
    for (int unsigned i = 0; i < Lanes; i++) begin
      field_q5[i] = 8'(field_q4[i] - {7'd0, moved_q[i][1:0]});
      fraction_q[i] = raised_q[i][PB-2 -: 23];
      up_q[i] = raised_q[i][10] && (raised_q[i][9:0] != '0 || raised_q[i][11]);
      zero_q[i] = !raised_q[i][PB-1];
    end
  endtask

  // A carry out of the fraction sets it to 0 and adds one to the field.
  task automatic round();
    for (int unsigned i = 0; i < Lanes; i++) begin
      rounded_q[i*32+31] <= negative_q[i][Stages-3];
      if (zero_q[i]) rounded_q[i*32 +: 31] <= '0;
      else rounded_q[i*32 +: 31] <= {field_q5[i], fraction_q[i]} + 31'(up_q[i]);
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_q[6]) round();
    if (valid_q[5]) decide();
    if (valid_q[4]) raise_near();
    if (valid_q[3]) raise_four();
    if (valid_q[2]) raise_eight();
    if (valid_q[1]) hold();
    if (flows) begin
      for (int unsigned i = 0; i < Lanes; i++) negative_q[i] = negative_q[i] << 1;
    end
    if (valid_q[0]) multiply();
    if (row_valid_i) take();
  end

  assign add = rounded || fold_add_data_i || fold_add_sum_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      add_q <= '0;
      write_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], row_valid_i};
      add_q <= {add_q[AddStages-2:0], add};
      write_q <= {write_q[AddStages-1:0], rounded};
    end
    if (flows) begin
      empty_q <= {empty_q[Stages-2:0], empty_i};
      address_q <= {address_q[(Stages-1)*AddressBits-1:0], address_i};
    end
    if (rounded || write_q != '0) begin
      add_address_q <= {add_address_q[AddStages*AddressBits-1:0],
                        address_q[(Stages-1)*AddressBits +: AddressBits]};
    end
    // The reset keeps this stage a register if the delay becomes a memory, which is slower.
    if (!rst_ni) address_q[ReadStage*AddressBits +: AddressBits] <= '0;
    read_q <= read;
    if (read_q) operand_q <= partial;
    if (fold_hold_data_i) hold_q <= fold_empty_i ? '0 : operand_q;
    else if (fold_hold_sum_i) hold_q <= sums_o;
    if (add) begin
      a_q <= !rounded ? hold_q : empty_q[Stages-1] ? '0 : operand_q;
      b_q <= rounded ? rounded_q : fold_add_sum_i ? sums_o : fold_empty_i ? '0 : operand_q;
    end
  end

  sparf_attn_add #(
    .Lanes(Lanes)
  ) u_add (
    .clk_i(clk_i),
    .en_i(add_q),
    .a_i(a_q),
    .b_i(b_q),
    .sum_o(sums_o)
  );

  if (Stages != 8) begin : gen_bad_stages
    $error("sparf_attend_lanes: WeightedStages must be that of its stages");
  end

  `IMPLIES(WeightIsPositive_A, row_valid_i, !weight_i[31])
  `IMPLIES(NoRowWhileFolding_A, (row_valid_i || valid_q != '0),
           !(fold_read_i || fold_add_data_i || fold_add_sum_i))
endmodule
