// SPDX-License-Identifier: Apache-2.0
// Appends one token to a head: copies its rows of K and V, which the host stores one after the other, to the
// head's rows in controller DRAM, and updates the exact sums of V (64-bit integers, units of 2^-24). If the
// token completes a group or block, the unit requests that its pages are programmed, first in token order,
// then in embedding order. One append at a time; an append is done when all lines are written and all pages
// requested. An append whose descriptor breaks a rule (sparf_descriptor_check) is done at once, with the
// field.
`include "assert.svh"
module sparf_append_unit #(
  parameter int unsigned Width = 128,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned CB = sparf_pkg::CountBits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,   // idle
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  output logic                           done_valid_o,
  input  logic                           done_ready_i,
  output sparf_pkg::done_t               done_o,
  output logic                           read_valid_o,
  input  logic                           read_ready_i,
  output logic [AB-1:0]                  read_line_o,
  output logic [sparf_pkg::RingBits-1:0] read_lines_o,
  input  logic                           line_valid_i,
  output logic                           line_ready_o,
  input  logic [sparf_pkg::LineBits-1:0] line_data_i,
  output logic                           write_valid_o,
  input  logic                           write_ready_i,
  output logic [AB-1:0]                  write_line_o,
  output logic [sparf_pkg::LineBits-1:0] write_data_o,
  output logic                           page_valid_o,
  input  logic                           page_ready_i,
  output logic [sparf_pkg::PageReqBits-1:0] page_req_o
);
  localparam int unsigned LB = sparf_pkg::LineBits;
  localparam int unsigned VB = sparf_pkg::ValueBits;
  localparam int unsigned SumBits = sparf_pkg::SumBits;
  localparam int unsigned RowLines = sparf_pkg::row_lines(Width);
  localparam int unsigned LogRowLines = $clog2(RowLines);
  localparam int unsigned SumsPerLine = LB / SumBits;
  localparam int unsigned SumLines = Width / SumsPerLine;
  localparam int unsigned LogWidth = $clog2(Width);
  localparam int unsigned PlaceBits = $clog2(2 * RowLines + SumLines + 1);
  localparam int unsigned PartBits = SumsPerLine * VB;
  // Bits of an FP16 number in units of 2^-24: eleven bits, shifted by up to 29.
  localparam int unsigned TermBits = 41;

  logic [AB-1:0] write_line_q;
  assign write_line_o = write_line_q;

  typedef enum logic [3:0] {
    StateIdle,
    StateDerive,
    StateCheck,
    StateFit,
    StateRows,
    StateSums,
    StateTake,
    StateAdd,
    StateWrite,
    StateFull,
    StateKeys,
    StateValues,
    StateDims,
    StateDone
  } state_e;

  state_e state_q;
  logic [31:0] words[sparf_pkg::DescWords];
  for (genvar w = 0; w < sparf_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc_i[w*32+:32];
  end

  // Outcomes: the first field that breaks a rule; an infinite value or one that is not a number.
  logic [sparf_pkg::FieldBits-1:0] field, field_q;
  logic fits, non_finite_q;
  sparf_descriptor_check #(
    .Appends(1'b1),
    .Width(Width),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows)
  ) u_check (
    .clk_i(clk_i),
    .load_i(state_q == StateIdle),
    .desc_i(desc_i),
    .ok_o(fits),  // in StateRows
    .field_o(field)
  );

  logic [sparf_pkg::TagBits-1:0] tag_q;
  logic mean_q;
  logic [1:0] log_dims_q;
  // No state machine: with one-hot encoding and without a reset, no bit or several bits could be 1 at first.
  (* fsm_encoding = "none" *) logic [3:0] page_log_q;
  logic [3:0] log_rows_q, log_block_q;
  logic [CB-1:0] token_q, dim_flash_q, token_flash_q, next_token_q, index_left_q;
  logic [CB-1:0] k_offset_q, v_offset_q;
  logic [AB-1:0] head_q, q_line_q, sum_line_q, k_base_q, v_base_q, k_line_q, v_line_q, index_q;
  logic [PlaceBits-1:0] place_q;
  logic [RowLines*LB-1:0] values_q;  // a row of V, from the part on that the next sums belong to
  logic [LB-1:0] sums_q;
  logic in_values, rows_end, all_end, group_full_q, block_full_q;

  assign in_values = place_q >= PlaceBits'(RowLines) && !rows_end;
  assign rows_end = place_q >= PlaceBits'(2 * RowLines);
  assign all_end = place_q == (mean_q ? PlaceBits'(2 * RowLines + SumLines - 1)
                                      : PlaceBits'(2 * RowLines - 1));

  // The size in units of 2^-24; all bits inverted when it is negative, where one is still to be
  // added.
  function automatic logic [TermBits-1:0] fixed(input logic [VB-1:0] value);
    logic [TermBits-1:0] size;
    size = value[14:10] == '0 ? TermBits'(value[9:0])
                              : TermBits'({1'b1, value[9:0]}) << (value[14:10] - 5'd1);
    fixed = size ^ {TermBits{value[15]}};
  endfunction

  // A sum is computed in parts, because a carry chain of 64 bits is too long for a cycle: the lower part; the middle
  // part for either carry of the lower part; and the changed value of the upper part, where a term has only sign bits.
  // The parts are not read before the second cycle of StateWrite: a writer is selected in the first. The upper part of
  // a sum with a term that is not finite is sparf_pkg::LostSum permanently.
  localparam int unsigned LowBits = 22;
  localparam int unsigned MidBits = TermBits - LowBits;
  localparam int unsigned HighBits = SumBits - TermBits;

  logic [TermBits-1:0] terms_q[SumsPerLine];
  logic [SumsPerLine-1:0] negative_q, special_q;
  logic added_q;  // the writes are sums
  for (genvar i = 0; i < SumsPerLine; i++) begin : gen_sum
    logic [SumBits-1:0] sum;
    logic [LowBits-1:0] low_q;
    logic [MidBits-1:0] mid_q, mid_next_q;
    logic [HighBits-1:0] high_q;
    logic carry_q, mid_carry_q, mid_next_carry_q, unused_low_q, unused_mid_q, changes, lost, lost_q;
    assign sum = sums_q[i*SumBits+:SumBits];
    assign lost = special_q[i] || sparf_pkg::sum_lost(sum[SumBits-1-:2]);
    assign changes = added_q
        && (lost_q || (carry_q ? mid_next_carry_q : mid_carry_q) != negative_q[i]);
    assign write_data_o[i*SumBits+:SumBits] = {
      changes ? high_q : sum[SumBits-1:TermBits],
      !added_q ? sum[LowBits+:MidBits] : carry_q ? mid_next_q : mid_q,
      added_q ? low_q : sum[LowBits-1:0]};
    always_ff @(posedge clk_i) begin
      if (state_q == StateAdd) begin
        {carry_q, low_q, unused_low_q} <= {1'b0, sum[LowBits-1:0], 1'b1}
            + {1'b0, terms_q[i][LowBits-1:0], negative_q[i]};
        {mid_carry_q, mid_q} <= {1'b0, sum[LowBits+:MidBits]} + {1'b0, terms_q[i][LowBits+:MidBits]};
        {mid_next_carry_q, mid_next_q, unused_mid_q} <= {1'b0, sum[LowBits+:MidBits], 1'b1}
            + {1'b0, terms_q[i][LowBits+:MidBits], 1'b1};
        lost_q <= lost;
        high_q <= lost ? {sparf_pkg::LostSum, {(HighBits - 2){1'b0}}}
            : sum[SumBits-1:TermBits] + (negative_q[i] ? {HighBits{1'b1}} : HighBits'(1));
      end
    end
  end

  // The unit requests the sums after it has accepted all rows: lines that a reader does not accept block all readers,
  // and possibly the run of the sums itself.
  logic ask_sums;
  assign ask_sums = mean_q && place_q == PlaceBits'(2 * RowLines - 1);

  assign desc_ready_o = state_q == StateIdle;
  assign done_valid_o = state_q == StateDone;
  sparf_pkg::done_t done;
  assign done_o = done;
  always_comb begin
    done = '0;
    done.tag = tag_q;
    done.refused = field_q != sparf_pkg::FieldNone;
    done.field = field_q;
    done.non_finite = non_finite_q;
  end
  assign read_valid_o = (state_q == StateRows && fits) || state_q == StateSums;
  assign read_line_o = state_q == StateRows ? q_line_q : sum_line_q;
  assign read_lines_o = sparf_pkg::RingBits'(state_q == StateRows ? 2 * RowLines : SumLines);
  logic page_taken_q;  // the requested page, one cycle ago
  assign line_ready_o = state_q == StateTake;
  assign write_valid_o = state_q == StateWrite;

  // The request is in registers, because the arbiter behind it and the fields of the page fill the period.
  logic page_valid_q;
  logic [1:0] page_kind_q;
  assign page_valid_o = page_valid_q;
  assign page_req_o = {1'b1, index_q, page_kind_q, head_q, sparf_pkg::TagBits'(0)};
  logic next_page;  // another page follows in the next cycle
  always_comb begin
    unique case (state_q)
      StateFull: next_page = group_full_q || block_full_q;
      StateKeys: next_page = page_taken_q;
      StateValues: next_page = page_taken_q && block_full_q;
      StateDims: next_page = page_taken_q && index_left_q != CB'(1);
      default: next_page = 1'b0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StateFull) begin
      page_kind_q <= group_full_q ? sparf_pkg::KindKeys : sparf_pkg::KindDims;
    end else if (page_taken_q) begin
      page_kind_q <= state_q == StateKeys ? sparf_pkg::KindValues : sparf_pkg::KindDims;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      page_taken_q <= 1'b0;
      page_valid_q <= 1'b0;
    end else begin
      page_taken_q <= page_valid_q && page_ready_i;
      page_valid_q <= page_valid_q ? !page_ready_i : next_page;
      unique case (state_q)
        StateIdle: if (desc_valid_i) state_q <= StateDerive;
        StateDerive: state_q <= StateCheck;
        StateCheck: state_q <= StateFit;
        StateFit: state_q <= StateRows;
        StateRows: begin
          if (!fits) state_q <= StateDone;
          else if (read_ready_i) state_q <= StateTake;
        end
        StateSums: if (read_ready_i) state_q <= StateTake;
        StateTake: if (line_valid_i) state_q <= rows_end ? StateAdd : StateWrite;
        StateAdd: state_q <= StateWrite;
        StateWrite: begin
          if (write_ready_i) state_q <= all_end ? StateFull : ask_sums ? StateSums : StateTake;
        end
        StateFull: state_q <= group_full_q ? StateKeys : block_full_q ? StateDims : StateDone;
        StateKeys: if (page_taken_q) state_q <= StateValues;
        StateValues: if (page_taken_q) state_q <= block_full_q ? StateDims : StateDone;
        StateDims: if (page_taken_q && index_left_q == CB'(1)) state_q <= StateDone;
        StateDone: if (done_ready_i) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
    end
  end

  // Whether the line of a row that is written has a value that is not finite.
  localparam int unsigned LineValues = Width < LB / VB ? Width : LB / VB;
  logic line_non_finite;
  always_comb begin
    line_non_finite = 1'b0;
    for (int unsigned i = 0; i < LineValues; i++) begin
      if (sparf_kernel_pkg::non_finite(sums_q[i*VB+10+:5])) line_non_finite = 1'b1;
    end
  end

  // Values derived from the token, some cycles after it: whether a group or block is full, the group,
  // the first page of the block and how many it has, the token's places.
  logic [AB-1:0] block_index_q, group_index_q;
  logic [2:0] log_groups;
  assign log_groups = 3'(LogWidth) - 3'(log_dims_q);
  always_ff @(posedge clk_i) begin
    log_rows_q <= page_log_q - 4'(1 + LogWidth);
    log_block_q <= page_log_q - 4'd1 - 4'(log_dims_q);
    next_token_q <= token_q + 1'b1;
    group_full_q <= (next_token_q & ~({CB{1'b1}} << log_rows_q)) == '0;
    block_full_q <= (next_token_q & ~({CB{1'b1}} << log_block_q)) == '0;
    group_index_q <= {{(AB - CB){1'b0}}, token_q >> log_rows_q};
    block_index_q <= {{(AB - CB){1'b0}}, token_q >> log_block_q} << log_groups;
    k_offset_q <= token_q - dim_flash_q;
    v_offset_q <= token_q - token_flash_q;
    k_line_q <= k_base_q + (AB'(k_offset_q) << LogRowLines);
    v_line_q <= v_base_q + (AB'(v_offset_q) << LogRowLines);
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StateIdle: begin
        tag_q <= words[sparf_pkg::DescMode][31:16];
        mean_q <= words[sparf_pkg::DescMode][12];
        log_dims_q <= words[sparf_pkg::DescMode][9:8];
        token_q <= words[sparf_pkg::DescTokens][CB-1:0];
        dim_flash_q <= words[sparf_pkg::DescDimFlash][CB-1:0];
        token_flash_q <= words[sparf_pkg::DescTokenFlash][CB-1:0];
        head_q <= words[sparf_pkg::DescHead];
        q_line_q <= words[sparf_pkg::DescQLine];
        sum_line_q <= words[sparf_pkg::DescSumLine];
        k_base_q <= words[sparf_pkg::DescKLine];
        v_base_q <= words[sparf_pkg::DescVLine];
        page_log_q <= sparf_pkg::log2_of(words[sparf_pkg::DescPageBytes][15:0]);
        place_q <= '0;
        non_finite_q <= 1'b0;
      end
      StateRows: field_q <= field;
      StateTake: begin
        sums_q <= line_data_i;
        added_q <= 1'b0;
        for (int unsigned i = 0; i < SumsPerLine; i++) begin
          terms_q[i] <= fixed(values_q[i*VB+:VB]);
          negative_q[i] <= values_q[i*VB+VB-1];
          special_q[i] <= sparf_kernel_pkg::non_finite(values_q[i*VB+10+:5]);
        end
        if (line_valid_i && in_values) values_q <= (RowLines * LB)'({line_data_i, values_q} >> LB);
        if (line_valid_i) begin
          unique case (place_q)
            PlaceBits'(0): write_line_q <= k_line_q;
            PlaceBits'(RowLines): write_line_q <= v_line_q;
            PlaceBits'(2 * RowLines): write_line_q <= sum_line_q;
            default: write_line_q <= sparf_pkg::line_behind(write_line_q);
          endcase
        end
      end
      StateAdd: begin
        added_q <= 1'b1;
        values_q <= values_q >> PartBits;
      end
      StateWrite: begin
        if (!rows_end && line_non_finite) non_finite_q <= 1'b1;
        if (write_ready_i) place_q <= place_q + 1'b1;
      end
      StateFull: begin
        index_q <= group_full_q ? group_index_q : block_index_q;
        index_left_q <= CB'(1) << log_groups;
      end
      StateValues: if (page_taken_q) index_q <= block_index_q;
      StateDims: begin
        if (page_taken_q) begin
          index_q <= index_q + 1'b1;
          index_left_q <= index_left_q - 1'b1;
        end
      end
      default: ;
    endcase
  end

  `STAYS(ReadHolds_A, read_valid_o, read_ready_i, {read_line_o, read_lines_o})
  `STAYS(PageHolds_A, page_valid_o, page_ready_i, page_req_o)
  `STAYS(DoneHolds_A, done_valid_o, done_ready_i, done_o)
endmodule
