// SPDX-License-Identifier: Apache-2.0
// FP32 sums, Lanes side by side, in sparf_kernel_pkg::AddStages stages; stage k computes in the cycle of
// en_i[k]. Round to nearest even, x + -x is +0. Operands are normal numbers or zeros, and the sum does not
// overflow; a sum below the smallest normal number becomes a zero with its sign. Sums of weighted values, sums
// of scores and differences of logits are never that small. A sum of the last blend may be, and it rounds to
// zero in FP16 anyway.
module sparf_attn_add #(
  parameter int unsigned Lanes = 1
) (
  input  logic        clk_i,
  input  logic [sparf_kernel_pkg::AddStages-1:0] en_i,
  input  logic [Lanes*32-1:0] a_i,
  input  logic [Lanes*32-1:0] b_i,
  output logic [Lanes*32-1:0] sum_o
);
  localparam int unsigned SB = 28;  // {carry, 24 bits, guard, round, sticky}

  logic [Lanes*32-1:0] sum_q;
  assign sum_o = sum_q;

  // Registers are numbered by the stage at whose end they are: 0 compares, 1 orders, 2 and 3 align
  // the smaller one, in steps of eight and then of one, and 3 inverts it for a subtraction.
  logic [31:0] a_q0[Lanes], b_q0[Lanes];
  logic larger_q0[Lanes];  // the magnitude of a is, or it is the same
  logic [7:0] a_less_b_q0[Lanes], b_less_a_q0[Lanes], distance_q1[Lanes];
  logic [2:0] distance_q2[Lanes];
  logic [23:0] large_q1[Lanes], large_q2[Lanes], large_q3[Lanes], small_q1[Lanes];
  logic [26:0] small_q2[Lanes], small_q3[Lanes];
  // 4 adds; 5 to 8 shift the leading one to the top, by 16, 8, 4, and 2 and 1; 9 decides on rounding
  // and 10 rounds. The field is that of the top's place, in 5 to 9 a stage behind.
  logic [SB-1:0] sum_q4[Lanes], sum_q5[Lanes], sum_q6[Lanes], sum_q7[Lanes], sum_q8[Lanes];
  logic [4:0] moved_q[Lanes];  // by 16, 8, 4, 2, 1
  logic [9:0] field_q1[Lanes], field_q2[Lanes], field_q3[Lanes], field_q4[Lanes], field_q5[Lanes];
  logic [9:0] field_q6[Lanes], field_q7[Lanes], field_q8[Lanes], field_q9[Lanes];
  logic [22:0] fraction_q9[Lanes];
  logic up_q9[Lanes], zero_q9[Lanes], negative_q9[Lanes];
  // Signs of both, of the larger one, of their product.
  logic [2:0] signs_q1[Lanes], signs_q2[Lanes], signs_q3[Lanes];
  logic [1:0] signs_q4[Lanes], signs_q5[Lanes], signs_q6[Lanes], signs_q7[Lanes], signs_q8[Lanes];

  function automatic logic [26:0] moved(input logic [26:0] wide, input logic [4:0] places);
    moved = (wide >> places) | 27'((wide & ~(27'h7ffffff << places)) != '0);
  endfunction
  function automatic logic [SB-1:0] raised(input logic [SB-1:0] sum, input int unsigned step);
    raised = (sum >> (SB - step)) == '0 ? sum << step : sum;
  endfunction

  task automatic compare();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [31:0] a;
      logic [31:0] b;
      a = a_i[i*32 +: 32];
      b = b_i[i*32 +: 32];
      a_q0[i] = a;
      b_q0[i] = b;
      larger_q0[i] = a[30:0] >= b[30:0];
      a_less_b_q0[i] = a[30:23] - b[30:23];
      b_less_a_q0[i] = b[30:23] - a[30:23];
    end
  endtask

  task automatic order();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [31:0] larger;
      logic [30:0] smaller;
      larger = larger_q0[i] ? a_q0[i] : b_q0[i];
      smaller = larger_q0[i] ? b_q0[i][30:0] : a_q0[i][30:0];
      large_q1[i] = {larger[30:23] != '0, larger[22:0]};
      small_q1[i] = {smaller[30:23] != '0, smaller[22:0]};
      distance_q1[i] = larger_q0[i] ? a_less_b_q0[i] : b_less_a_q0[i];
      field_q1[i] = {2'b00, larger[30:23]};
      signs_q1[i] = {a_q0[i][31] ^ b_q0[i][31], a_q0[i][31] && b_q0[i][31], larger[31]};
    end
  endtask

  task automatic align_far();
    for (int unsigned i = 0; i < Lanes; i++) begin
      small_q2[i] = distance_q1[i][7:5] != '0 ? 27'(small_q1[i] != '0)
          : moved({small_q1[i], 3'b000}, {distance_q1[i][4:3], 3'b000});
      distance_q2[i] = distance_q1[i][2:0];
      large_q2[i] = large_q1[i];
      field_q2[i] = field_q1[i];
      signs_q2[i] = signs_q1[i];
    end
  endtask

  task automatic align_near();
    for (int unsigned i = 0; i < Lanes; i++) begin
      small_q3[i] = moved(small_q2[i], {2'b00, distance_q2[i]}) ^ {27{signs_q2[i][2]}};
      large_q3[i] = large_q2[i];
      field_q3[i] = field_q2[i];
      signs_q3[i] = signs_q2[i];
    end
  endtask

  task automatic add();
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_q4[i] = SB'(({1'b0, large_q3[i], 3'b000, 1'b1} +
          {signs_q3[i][2], small_q3[i], signs_q3[i][2]}) >> 1);
      field_q4[i] = field_q3[i] + 10'd1;
      signs_q4[i] = signs_q3[i][1:0];
    end
  endtask

  task automatic raise_16();
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_q5[i] = raised(sum_q4[i], 16);
      moved_q[i][4] = (sum_q4[i] >> (SB - 16)) == '0;
      field_q5[i] = field_q4[i];
      signs_q5[i] = signs_q4[i];
    end
  endtask

  task automatic raise_8();
    for (int unsigned i = 0; i < Lanes; i++) begin
      field_q6[i] = field_q5[i] - {5'd0, moved_q[i][4], 4'd0};
      sum_q6[i] = raised(sum_q5[i], 8);
      moved_q[i][3] = (sum_q5[i] >> (SB - 8)) == '0;
      signs_q6[i] = signs_q5[i];
    end
  endtask

  task automatic raise_4();
    for (int unsigned i = 0; i < Lanes; i++) begin
      field_q7[i] = field_q6[i] - {6'd0, moved_q[i][3], 3'd0};
      sum_q7[i] = raised(sum_q6[i], 4);
      moved_q[i][2] = (sum_q6[i] >> (SB - 4)) == '0;
      signs_q7[i] = signs_q6[i];
    end
  endtask

  task automatic raise_near();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [SB-1:0] by_two;
      field_q8[i] = field_q7[i] - {7'd0, moved_q[i][2], 2'd0};
      by_two = raised(sum_q7[i], 2);
      sum_q8[i] = raised(by_two, 1);
      moved_q[i][1:0] = {(sum_q7[i] >> (SB - 2)) == '0, !by_two[SB-1]};
      signs_q8[i] = signs_q7[i];
    end
  endtask

  task automatic decide();
    for (int unsigned i = 0; i < Lanes; i++) begin
      field_q9[i] = field_q8[i] - {8'd0, moved_q[i][1:0]};
      fraction_q9[i] = sum_q8[i][26:4];
      up_q9[i] = sum_q8[i][3] && (sum_q8[i][4] || sum_q8[i][2:0] != '0);
      zero_q9[i] = !sum_q8[i][SB-1];
      negative_q9[i] = sum_q8[i][SB-1] ? signs_q8[i][0] : signs_q8[i][1];
    end
  endtask

  // A carry out of the fraction sets it to 0 and adds one to the field.
  task automatic round();
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_q[i*32 +: 32] <= {negative_q9[i],
          zero_q9[i] || field_q9[i][9] || field_q9[i] == '0 ? 31'd0
              : {field_q9[i][7:0], fraction_q9[i]} + 31'(up_q9[i])};
    end
  endtask

  // Last stage first: each stage reads the registers as the previous stage wrote them one cycle earlier.
  always_ff @(posedge clk_i) begin
    if (en_i[10]) round();
    if (en_i[9]) decide();
    if (en_i[8]) raise_near();
    if (en_i[7]) raise_4();
    if (en_i[6]) raise_8();
    if (en_i[5]) raise_16();
    if (en_i[4]) add();
    if (en_i[3]) align_near();
    if (en_i[2]) align_far();
    if (en_i[1]) order();
    if (en_i[0]) compare();
  end

  if (sparf_kernel_pkg::AddStages != 11) begin : gen_bad_stages
    $error("sparf_attn_add: AddStages must be that of its stages");
  end
endmodule
