// SPDX-License-Identifier: Apache-2.0
// The tables of the activation unit: parabolas c0 - r (c1 - r c2), one row {c0, c1, c2} for each segment. The
// formulas in src/golden/activation-tables.ts generate them; a test compares every number here with the
// formulas.
package ndp_act_table_pkg;

  // 2^-u, eighths of [0, 1), units of 2^-17.
  function automatic logic [3*ndp_act_pkg::AccBits-1:0] exp2(input logic [2:0] segment);
    case (segment)
      3'd0: exp2 = {18'd131070, 18'd11349, 18'd471};
      3'd1: exp2 = {18'd120192, 18'd10407, 18'd432};
      3'd2: exp2 = {18'd110216, 18'd9543, 18'd396};
      3'd3: exp2 = {18'd101069, 18'd8751, 18'd363};
      3'd4: exp2 = {18'd92681, 18'd8025, 18'd333};
      3'd5: exp2 = {18'd84989, 18'd7359, 18'd306};
      3'd6: exp2 = {18'd77935, 18'd6748, 18'd280};
      default: exp2 = {18'd71467, 18'd6188, 18'd257};
    endcase
  endfunction

  // 1 - log2(1 + z), eighths of [0, 1), units of 2^-15.
  function automatic logic [3*ndp_act_pkg::AccBits-1:0] silu(input logic [2:0] segment);
    case (segment)
      3'd0: silu = {18'd32766, 18'd5894, 18'd328};
      3'd1: silu = {18'd27199, 18'd5242, 18'd262};
      3'd2: silu = {18'd22218, 18'd4719, 18'd215};
      3'd3: silu = {18'd17712, 18'd4292, 18'd179};
      3'd4: silu = {18'd13599, 18'd3935, 18'd151};
      3'd5: silu = {18'd9815, 18'd3633, 18'd130};
      3'd6: silu = {18'd6312, 18'd3374, 18'd112};
      default: silu = {18'd3050, 18'd3149, 18'd98};
    endcase
  endfunction

  // 6 + log2(Phi(-x) e^(x^2/2)), Phi the normal distribution; quarters of [0, 1), [1, 2), [2, 4),
  // [4, 8), [8, 16); units of 2^-15.
  function automatic logic [3*ndp_act_pkg::AccBits-1:0] gelu(input logic [4:0] segment);
    case (segment)
      5'd0: gelu = {18'd163838, 18'd9415, 18'd498};
      5'd1: gelu = {18'd154919, 18'd8421, 18'd428};
      5'd2: gelu = {18'd146925, 18'd7566, 18'd368};
      5'd3: gelu = {18'd139726, 18'd6831, 18'd317};
      5'd4: gelu = {18'd133212, 18'd6199, 18'd274};
      5'd5: gelu = {18'd127286, 18'd5652, 18'd237};
      5'd6: gelu = {18'd121870, 18'd5179, 18'd206};
      5'd7: gelu = {18'd116896, 18'd4767, 18'd180};
      5'd8: gelu = {18'd112308, 18'd8792, 18'd595};
      5'd9: gelu = {18'd104108, 18'd7608, 18'd468};
      5'd10: gelu = {18'd96966, 18'd6676, 18'd374};
      5'd11: gelu = {18'd90663, 18'd5930, 18'd304};
      5'd12: gelu = {18'd85032, 18'd10600, 18'd920};
      5'd13: gelu = {18'd75347, 18'd8776, 18'd660};
      5'd14: gelu = {18'd67228, 18'd7465, 18'd494};
      5'd15: gelu = {18'd60254, 18'd6484, 18'd382};
      5'd16: gelu = {18'd54145, 18'd11382, 18'd1093};
      5'd17: gelu = {18'd43849, 18'd9222, 18'd747};
      5'd18: gelu = {18'd35369, 18'd7741, 18'd542};
      default: gelu = {18'd28167, 18'd6665, 18'd410};
    endcase
  endfunction

  // The first operand of a lane's adder.
  function automatic logic [ndp_act_pkg::AccBits-1:0] source(
      input logic [ndp_act_pkg::SourceBits-1:0] select,
      input logic [ndp_act_pkg::SegmentBits-1:0] segment,
      input logic [ndp_act_pkg::AccBits-1:0] constant);
    logic [3*ndp_act_pkg::AccBits-1:0] row;
    case (select[3:2])
      2'd1: row = exp2(segment[2:0]);
      2'd2: row = silu(segment[2:0]);
      2'd3: row = gelu(segment);
      default: row = {3{constant}};
    endcase
    case (select[1:0])
      2'd0: source = row[0+:ndp_act_pkg::AccBits];
      2'd1: source = row[ndp_act_pkg::AccBits+:ndp_act_pkg::AccBits];
      default: source = row[2*ndp_act_pkg::AccBits+:ndp_act_pkg::AccBits];
    endcase
  endfunction
endpackage
