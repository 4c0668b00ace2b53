// SPDX-License-Identifier: Apache-2.0
// FP32 to FP16 or BF16 in two stages; stage k computes in the cycle of en_i[k]. Round to nearest even,
// subnormals are preserved, overflow becomes infinity, NaN is 7E00 or 7FC0.
module fp_narrow (
  input  logic        clk_i,
  input  logic [1:0]  en_i,
  input  logic        bf16_i,
  input  logic [31:0] value_i,
  output logic [15:0] value_o
);
  logic [15:0] value_q;
  assign value_o = value_q;

  logic negative_q;
  logic nan_q;
  logic inf_q;
  logic [7:0] field_q;
  logic [11:0] sig_q;  // 10 bits (BF16: 7) below the leading one, guard, sticky

  // FP16 fields are 112 lower; below field 1 the significand is shifted right, and after a shift by 13 only the sticky
  // bit remains. A BF16 is the upper half of an FP32.
  task automatic place();
    logic [12:0] sig;
    logic [3:0] places;
    negative_q <= value_i[31];
    nan_q <= value_i[30:23] == 8'hff && value_i[22:0] != '0;
    sig = {value_i[30:23] != '0, value_i[22:12], |value_i[11:0]};
    // 113 less the field, at most 13. Of 1 - n the upper bits are those of n, negated.
    places = value_i[30:23] <= 8'd100 ? 4'd13
        : {value_i[26] ^ (|value_i[25:24]), value_i[25] ^ value_i[24], value_i[24], !value_i[23]};
    if (bf16_i) begin
      inf_q <= value_i[30:23] == 8'hff;
      field_q <= value_i[30:23];
      sig_q <= {3'b000, value_i[22:15], |value_i[14:0]};
    end else if (value_i[30:23] < 8'd113) begin
      inf_q <= 1'b0;
      field_q <= '0;
      sig_q <= 12'(sig >> places) | 12'((sig & ~(13'h1fff << places)) != '0);
    end else begin
      inf_q <= value_i[30:23] >= 8'd143;
      field_q <= value_i[30:23] - 8'd112;
      sig_q <= sig[11:0];
    end
  endtask

  // Rounding may carry into the exponent, which is then correct, also for infinity.
  task automatic round();
    logic up;
    logic [14:0] rounded;
    up = sig_q[1] & (sig_q[2] | sig_q[0]);
    rounded = (bf16_i ? {field_q, sig_q[8:2]} : {field_q[4:0], sig_q[11:2]}) + 15'(up);
    if (nan_q) value_q <= bf16_i ? 16'h7fc0 : 16'h7e00;
    else if (inf_q) value_q <= {negative_q, bf16_i ? 15'h7f80 : 15'h7c00};
    else value_q <= {negative_q, rounded};
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i[0]) place();
    if (en_i[1]) round();
  end
endmodule
