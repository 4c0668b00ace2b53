// SPDX-License-Identifier: Apache-2.0
// FP32 sum in sparf_kernel_pkg::AddStages stages; stage k works in the cycle of en_i[k]. Round to
// nearest even, x + -x is +0. Operands are normal numbers or zeros, and the sum does not overflow; a
// sum below the smallest normal number becomes a zero with its sign. Sums of weighted values, of
// scores and differences of logits are never that small; one of the last blend may be, and is a zero
// of FP16 anyway.
module attn_add (
  input  logic        clk_i,
  input  logic [sparf_kernel_pkg::AddStages-1:0] en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);
  localparam int unsigned SB = 28;  // {carry, 24 bits, guard, round, sticky}

  // Registers are numbered by the stage at whose end they are: 0 compares, 1 orders, 2 and 3 align
  // the smaller one, in steps of eight and then of one, and 3 inverts it for a subtraction.
  logic [31:0] a_q0, b_q0;
  logic larger_q0;  // the magnitude of a is, or it is the same
  logic [7:0] a_less_b_q0, b_less_a_q0, distance_q1;
  logic [2:0] distance_q2;
  logic [23:0] large_q[1:3];
  logic [23:0] small_q1;
  logic [26:0] small_q2, small_q3;
  // 4 adds; 5 to 8 bring the leading one to the top, by 16, 8, 4, and 2 and 1; 9 decides on rounding
  // and 10 rounds. The field is that of the top's place, in 5 to 9 a stage behind.
  logic [SB-1:0] sum_q[4:8];
  logic [4:0] moved_q;  // by 16, 8, 4, 2, 1
  logic [9:0] field_q[1:9];
  logic [22:0] fraction_q9;
  logic up_q9, zero_q9;
  logic [9:1] negative_q;
  logic [8:1] both_negative_q;
  logic [3:1] subtract_q;

  function automatic logic [26:0] moved(input logic [26:0] wide, input logic [4:0] places);
    moved = (wide >> places) | 27'((wide & ~(27'h7ffffff << places)) != '0);
  endfunction
  function automatic logic [SB-1:0] raised(input logic [SB-1:0] sum, input int unsigned step);
    raised = (sum >> (SB - step)) == '0 ? sum << step : sum;
  endfunction
  logic [23:0] ma, mb;
  logic [SB-1:0] by_two;
  assign ma = {a_q0[30:23] != '0, a_q0[22:0]};
  assign mb = {b_q0[30:23] != '0, b_q0[22:0]};
  assign by_two = raised(sum_q[7], 2);

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      a_q0 <= a_i;
      b_q0 <= b_i;
      larger_q0 <= a_i[30:0] >= b_i[30:0];
      a_less_b_q0 <= a_i[30:23] - b_i[30:23];
      b_less_a_q0 <= b_i[30:23] - a_i[30:23];
    end
    if (en_i[1]) begin
      large_q[1] <= larger_q0 ? ma : mb;
      small_q1 <= larger_q0 ? mb : ma;
      distance_q1 <= larger_q0 ? a_less_b_q0 : b_less_a_q0;
      field_q[1] <= {2'b00, larger_q0 ? a_q0[30:23] : b_q0[30:23]};
      negative_q[1] <= larger_q0 ? a_q0[31] : b_q0[31];
      both_negative_q[1] <= a_q0[31] && b_q0[31];
      subtract_q[1] <= a_q0[31] ^ b_q0[31];
    end
    if (en_i[2]) begin
      small_q2 <= distance_q1[7:5] != '0 ? 27'(small_q1 != '0)
          : moved({small_q1, 3'b000}, {distance_q1[4:3], 3'b000});
      distance_q2 <= distance_q1[2:0];
    end
    if (en_i[3]) small_q3 <= moved(small_q2, {2'b00, distance_q2}) ^ {27{subtract_q[2]}};
    for (int unsigned s = 2; s <= 3; s++) begin
      if (en_i[s]) begin
        large_q[s] <= large_q[s-1];
        field_q[s] <= field_q[s-1];
        subtract_q[s] <= subtract_q[s-1];
      end
    end
    if (en_i[4]) begin
      sum_q[4] <= SB'(({1'b0, large_q[3], 3'b000, 1'b1} +
          {subtract_q[3], small_q3, subtract_q[3]}) >> 1);
      field_q[4] <= field_q[3] + 10'd1;
    end
    for (int unsigned s = 5; s <= 7; s++) begin
      if (en_i[s]) begin
        sum_q[s] <= raised(sum_q[s-1], 16 >> (s - 5));
        moved_q[9-s] <= (sum_q[s-1] >> (SB - (16 >> (s - 5)))) == '0;
        field_q[s] <= field_q[s-1] - (s == 5 ? '0 : 10'(moved_q[10-s]) << (10 - s));
      end
    end
    if (en_i[8]) begin
      sum_q[8] <= raised(by_two, 1);
      moved_q[1:0] <= {(sum_q[7] >> (SB - 2)) == '0, !by_two[SB-1]};
      field_q[8] <= field_q[7] - {7'd0, moved_q[2], 2'b00};
    end
    if (en_i[9]) begin
      field_q[9] <= field_q[8] - {8'd0, moved_q[1:0]};
      fraction_q9 <= sum_q[8][26:4];
      up_q9 <= sum_q[8][3] && (sum_q[8][4] || sum_q[8][2:0] != '0);
      zero_q9 <= !sum_q[8][SB-1];
      negative_q[9] <= sum_q[8][SB-1] ? negative_q[8] : both_negative_q[8];
    end
    for (int unsigned s = 2; s <= 8; s++) begin
      if (en_i[s]) begin
        negative_q[s] <= negative_q[s-1];
        both_negative_q[s] <= both_negative_q[s-1];
      end
    end
    // A carry out of the fraction leaves it 0 and adds one to the field.
    if (en_i[10]) begin
      sum_o[31] <= negative_q[9];
      if (zero_q9 || field_q[9][9] || field_q[9] == '0) sum_o[30:0] <= '0;
      else sum_o[30:0] <= {field_q[9][7:0], fraction_q9} + 31'(up_q9);
    end
  end

  if (sparf_kernel_pkg::AddStages != 11) begin : gen_bad_stages
    $error("attn_add: AddStages must be that of its stages");
  end
endmodule
