// SPDX-License-Identifier: Apache-2.0
// Scales and mean values of a head, with one converter to FP32 and one multiplier:
//   scale = RNE(sqrt(|q|_1 / |q,chosen|_1)) * scale_i, the ratio 1 if either sum is 0,
//   mean  = RNE(sum) * reciprocal_i.
// A query's scale begins in the cycle after begin_i, its sums arrive one and two cycles later; scale_write_o
// marks its product. While means_i, each sum of sum_valid_i produces one mean value, in order: mean_write_o.
module sparf_query_scales #(
  parameter int unsigned Width = 128,
  parameter int unsigned SumBits = 47,
  localparam int unsigned IndexBits = $clog2(Width)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 scales_i,
  input  logic                 means_i,
  input  logic                 begin_i,
  input  logic [SumBits-1:0]   all_sum_i,     // of a query's magnitudes
  input  logic [SumBits-1:0]   chosen_sum_i,  // of the magnitudes in the chosen dimensions
  input  logic                 sum_valid_i,
  input  logic [63:0]          sum_i,
  input  logic [31:0]          scale_i,
  input  logic [31:0]          reciprocal_i,
  output logic                 scale_write_o,
  output logic                 mean_write_o,
  output logic [IndexBits-1:0] mean_dim_o,
  output logic                 mean_last_o,   // the last mean value is written
  output logic [31:0]          product_o,     // the scale or the mean
  output logic                 busy_o         // for clock gates
);
  localparam logic [31:0] One = 32'h3f800000;
  localparam int unsigned NormaliseStages = sparf_kernel_pkg::NormaliseStages;
  localparam int unsigned MultiplyStages = sparf_kernel_pkg::MultiplyStages;

  typedef enum logic [1:0] {
    ScaleSums,
    ScaleQuotient,
    ScaleRoot,
    ScaleProduct
  } scale_e;
  scale_e scale_state_q;
  logic convert, convert_q, convert_first_q, convert_second_q;
  logic [$bits(sum_i)-1:0] convert_sum, convert_sum_q;
  logic [NormaliseStages-1:0] convert_valid_q;
  logic [$bits(product_o)-1:0] converted, numerator_q;
  logic [MultiplyStages-1:0] multiply_valid_q;
  logic divide_start, divide_root, divide_done, multiply_start;
  logic [$bits(product_o)-1:0] divide_a, divide_b, divided;
  assign convert = sum_valid_i || convert_first_q || convert_second_q;
  assign convert_sum = means_i ? sum_i
      : convert_first_q ? ($bits(sum_i))'(all_sum_i) : ($bits(sum_i))'(chosen_sum_i);

  // sum 2^-24 as sparf_attn_normalise reads it.
  localparam logic [5:0] Exponent = 6'd48;
  sparf_attn_normalise #(
    .SumBits($bits(sum_i))
  ) u_convert (
    .clk_i(clk_i),
    .en_i({convert_valid_q[NormaliseStages-2:0], convert_q}),
    .sum_i(convert_sum_q),
    .exponent_i(Exponent),
    .value_o(converted)
  );

  logic converted_valid, numerator_done, denominator_done, degenerate;
  assign converted_valid = convert_valid_q[NormaliseStages-1];
  assign numerator_done = scales_i && converted_valid && convert_valid_q[NormaliseStages-2];
  assign denominator_done = scales_i && converted_valid && !convert_valid_q[NormaliseStages-2];
  assign degenerate = numerator_q == '0 || converted == '0;
  assign divide_start = denominator_done || (scale_state_q == ScaleQuotient && divide_done);
  assign divide_root = scale_state_q == ScaleQuotient;
  assign divide_a = divide_root ? divided : degenerate ? One : numerator_q;
  assign divide_b = degenerate ? One : converted;
  sparf_attn_scalar u_scalar (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(divide_start),
    .root_i(divide_root),
    .a_i(divide_a),
    .b_i(divide_b),
    .done_o(divide_done),
    .result_o(divided),
    .busy_o(busy_o)
  );

  assign multiply_start = means_i ? converted_valid : scale_state_q == ScaleRoot && divide_done;
  sparf_attn_multiply u_multiply (
    .clk_i(clk_i),
    .en_i({multiply_valid_q[MultiplyStages-2:0], multiply_start}),
    .a_i(means_i ? converted : divided),
    .b_i(means_i ? reciprocal_i : scale_i),
    .product_o(product_o)
  );

  logic mean_last_q;
  logic [IndexBits-1:0] mean_dim_q;
  assign scale_write_o = scales_i && multiply_valid_q[MultiplyStages-1];
  assign mean_write_o = means_i && multiply_valid_q[MultiplyStages-1];
  assign mean_dim_o = mean_dim_q;
  assign mean_last_o = mean_write_o && mean_last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      convert_q <= 1'b0;
      convert_valid_q <= '0;
      multiply_valid_q <= '0;
      convert_first_q <= 1'b0;
      convert_second_q <= 1'b0;
    end else begin
      convert_q <= convert;
      convert_valid_q <= {convert_valid_q[NormaliseStages-2:0], convert_q};
      multiply_valid_q <= {multiply_valid_q[MultiplyStages-2:0], multiply_start};
      convert_first_q <= begin_i;
      convert_second_q <= convert_first_q;
    end
    convert_sum_q <= convert_sum;
    if (numerator_done) numerator_q <= converted;
    if (!scales_i || scale_write_o) scale_state_q <= ScaleSums;
    else if (denominator_done) scale_state_q <= ScaleQuotient;
    else if (divide_done && divide_root) scale_state_q <= ScaleRoot;
    else if (divide_done) scale_state_q <= ScaleProduct;
    if (!means_i) mean_dim_q <= '0;
    else if (mean_write_o) mean_dim_q <= mean_dim_q + 1'b1;
    if (!means_i) mean_last_q <= 1'b0;
    else if (mean_write_o) mean_last_q <= mean_dim_q == IndexBits'(Width - 2);
  end
endmodule
