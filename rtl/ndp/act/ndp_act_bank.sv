// SPDX-License-Identifier: Apache-2.0
// Lanes of the activation unit. Every lane stores a gate operand and an up operand and executes the
// control word of each cycle; the result replaces the gate operand. Operands are loaded Group lanes at a
// time.
module ndp_act_bank #(
  parameter int unsigned Lanes = 256,
  parameter int unsigned Group = 32,
  localparam int unsigned Groups = Lanes / Group
) (
  input  logic                clk_i,
  input  ndp_act_pkg::control_t   control_i,
  input  logic [Groups-1:0]   ld_group_i,  // groups that load ld_data_i
  input  logic                ld_up_i,
  input  logic [16*Group-1:0] ld_data_i,
  output logic [16*Lanes-1:0] gate_o       // gate operands or results
);
  localparam int unsigned AB = ndp_act_pkg::AccBits;
  localparam int unsigned SB = ndp_act_pkg::SumBits;
  localparam int unsigned DB = ndp_act_pkg::DigitBits;
  localparam int unsigned PB = ndp_act_pkg::ProductBits;

  logic [16*Lanes-1:0] gate_q;
  assign gate_o = gate_q;

  if (Lanes % Group != 0) begin : gen_groups
    $error("ndp_act_bank: Lanes must be a multiple of Group");
  end

  logic [15:0] up_q[Lanes];
  logic sign_q[Lanes];
  logic [2:0] kind_q[Lanes];  // {NaN, infinity, zero}
  logic far_q[Lanes];         // |x| so large that Q is zero
  logic [ndp_act_pkg::ExpBits-1:0] exponent_q[Lanes];
  logic [ndp_act_pkg::StepBits-1:0] factor_q[Lanes];  // multiplicand, position on a segment
  logic [ndp_act_pkg::SegmentBits-1:0] segment_q[Lanes];
  logic [AB-1:0] acc_q[Lanes];
  logic [PB:0] product_q[Lanes];  // a first half may need the last bit
  logic [ndp_act_pkg::ShiftBits-1:0] shift_q[Lanes];
  logic [ndp_act_pkg::PowerBits-1:0] power_q[Lanes];
  logic [SB-1:0] sum_q[Lanes];  // at last {NaN, exponent field}

  // Half a product. The first half is DigitBits too high, where the second half adds to it.
  function automatic logic [PB:0] multiplied(
      input logic [PB:DB] product, input logic [ndp_act_pkg::StepBits-1:0] factor,
      input logic [AB-1:0] acc, input logic high);
    logic [DB-1:0] digit;
    logic [AB-1:0] carried;
    logic [AB+DB-1:0] sum;
    digit = high ? factor[DB+:DB] : factor[0+:DB];
    carried = high ? product[PB:2*DB] : '0;
    sum = (AB + DB)'(digit) * (AB + DB)'(acc) + (AB + DB)'(carried);
    multiplied = {sum, product[2*DB-1:DB]};
  endfunction

  function automatic logic [SB-1:0] exponent_operand(
      input logic [2:0] select, input logic [SB-1:0] sum,
      input logic [ndp_act_pkg::ExpBits-1:0] exponent, input logic [ndp_act_pkg::ExpBits-1:0] power,
      input logic carry);
    case (select)
      ndp_act_pkg::ExpOperand: exponent_operand = {exponent[8], exponent};
      ndp_act_pkg::ExpTwice: exponent_operand = {exponent, 1'b0};
      ndp_act_pkg::ExpBelowOne: exponent_operand = exponent[8] ? {exponent[8], exponent} : '0;
      ndp_act_pkg::ExpPower: exponent_operand = {power[8], power};
      ndp_act_pkg::ExpSum: exponent_operand = sum;
      ndp_act_pkg::ExpCarry: exponent_operand = SB'(carry);
      default: exponent_operand = '0;
    endcase
  endfunction

  // Everything behind the shifter: accumulator, w, an index into a table, the result.
  task automatic use_product();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [PB:0] rounded;
      logic [PB-1:0] shifted;
      logic [AB-1:0] source;
      logic [AB+1:0] added;  // the last bit is the carry input

      rounded = ndp_act_pkg::shift_rounded(product_q[i][PB-1:0],
                                       control_i.shift_own ? shift_q[i] : control_i.shift);
      shifted = rounded[PB:1];
      source = ndp_act_table_pkg::source(control_i.source, segment_q[i], control_i.constant);
      if (control_i.pack) begin
        source = {3'd0, control_i.bf16 ? {sum_q[i][7:0], sum_q[i][8], 6'd0}
                                       : {sum_q[i][4:0], sum_q[i][8], 9'd0}};
      end
      added = {1'b0, source, 1'b1} + {1'b0, shifted[AB-1:0] ^ {AB{control_i.acc_subtract}},
                                      rounded[0] ^ control_i.acc_subtract};

      // Exponent field and significand added: the leading one counts in the field.
      if (control_i.pack) begin
        gate_q[16*i+:16] <= {sign_q[i] && !control_i.relu && !sum_q[i][8], added[15:1]};
      end
      if (control_i.acc_write && !(sign_q[i] && control_i.acc_positive)) acc_q[i] = added[AB:1];
      if (control_i.carry_to_far && (added[AB+1] || shifted[AB])) far_q[i] = 1'b1;
      if (control_i.power_load) power_q[i] = {1'b0, shifted[22:0] | {23{far_q[i]}}};
      if (control_i.index_product) begin
        segment_q[i] = {2'b00, shifted[14:12]};
        if (control_i.index_octave) begin
          segment_q[i][1:0] = shifted[13:12];
          segment_q[i][4:2] = exponent_q[i][8] ? 3'd0 : {1'b0, exponent_q[i][1:0]} + 3'd1;
        end
        factor_q[i] = shifted[11:0];
      end
    end
  endtask

  task automatic add_exponents();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [SB-1:0] operand;
      logic [SB:0] total;  // the last bit is the carry input

      operand = exponent_operand(control_i.exp_operand, sum_q[i], exponent_q[i],
                                 power_q[i][ndp_act_pkg::FractionBits+:ndp_act_pkg::ExpBits],
                                 product_q[i][PB-2]);
      total = {control_i.exp_from_sum ? sum_q[i] : control_i.exp_constant, 1'b1} +
          {operand ^ {SB{control_i.exp_subtract}}, control_i.exp_subtract};
      if (control_i.exp_to_sum && (sign_q[i] || !control_i.exp_negative)) sum_q[i] = total[SB:1];
      if (control_i.exp_to_shift) shift_q[i] = total[10:6] == '0 ? total[5:1] : '1;
      if (control_i.exp_to_far) far_q[i] = total[10] || total[9:2] < 8'd3;
    end
  endtask

  // Exponent field minus one, and the shift, from the exponent sum.
  task automatic make_field();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic vanishes;
      logic nan;

      vanishes = kind_q[i][0] || (sign_q[i] && (control_i.relu || (control_i.tail && far_q[i])));
      nan = kind_q[i][2];
      if (nan || kind_q[i][1] || vanishes ||
          (!sum_q[i][9] && sum_q[i] >= (control_i.bf16 ? 10'd254 : 10'd30))) begin
        // NaN, infinity or zero: the product is not used. NaN adds its own bit.
        shift_q[i] = '1;
        sum_q[i] = {1'b0, nan, nan || !vanishes ? 8'hff : 8'h00};
      end else if (sum_q[i][9]) begin
        sum_q[i] = '0;
      end else begin
        sum_q[i][9:8] = 2'b00;
        shift_q[i] = {3'b100, {2{control_i.bf16}}} + 5'(product_q[i][PB-2]);
      end
    end
  endtask

  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      product_q[i] = multiplied(product_q[i][PB:DB], factor_q[i], acc_q[i],
                                control_i.multiply_high);
    end
  endtask

  task automatic index_power();
    for (int unsigned i = 0; i < Lanes; i++) begin
      segment_q[i] = {2'b00, power_q[i][14:12]};
      factor_q[i] = power_q[i][11:0];
    end
  endtask

  task automatic correct_power();
    for (int unsigned i = 0; i < Lanes; i++) power_q[i] = power_q[i] - {6'd0, acc_q[i]};
  endtask

  task automatic decode();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [15:0] operand;

      operand = control_i.decode_up ? up_q[i] : gate_q[16*i+:16];
      {exponent_q[i], factor_q[i]} = ndp_act_pkg::normalised(operand[14:0], control_i.bf16);
      sign_q[i] = operand[15] ^ (control_i.decode_merge && sign_q[i]);
      kind_q[i] = ndp_act_pkg::joined_kind(ndp_act_pkg::kind(operand[14:0], control_i.bf16),
                                       control_i.decode_merge ? kind_q[i] : 3'b000);
    end
  endtask

  task automatic set_unity();
    for (int unsigned i = 0; i < Lanes; i++) factor_q[i] = 12'd2048;
  endtask

  task automatic load_up();
    for (int unsigned g = 0; g < Groups; g++) begin
      if (ld_group_i[g]) begin
        for (int unsigned i = 0; i < Group; i++) up_q[g*Group+i] = ld_data_i[16*i+:16];
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    // No register is read after it was written: steps that use the product neither multiply nor add exponents.
    if (control_i.use_product) use_product();
    else begin
      if (control_i.exp_add) add_exponents();
      if (control_i.exp_to_field) make_field();
      if (control_i.multiply_low || control_i.multiply_high) multiply();
      if (control_i.index_power) index_power();
      if (control_i.power_correct) correct_power();
    end
    if (control_i.decode) decode();
    if (control_i.unity) set_unity();
    if (ld_group_i != '0) begin
      if (ld_up_i) load_up();
      else begin
        for (int unsigned g = 0; g < Groups; g++) begin
          if (ld_group_i[g]) gate_q[16*Group*g+:16*Group] <= ld_data_i;
        end
      end
    end
  end
endmodule
