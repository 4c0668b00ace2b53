// SPDX-License-Identifier: Apache-2.0
// The activation and result buffer: single-port SRAMs of 64-byte words, word w in bank w mod Banks,
// and the arbitration of their ports. Fixed priority, one winner per cycle and bank: operand reads of
// the array (never refused), row results (one part of a word: one value of every stream), x words,
// hidden words, reads of the drain. A grant is in the cycle of its request; data of a read follow in
// the next cycle and stay until the next read of a bank. Operand reads use at most Lanes cycles of a
// slot and alternate between two banks, so the other requesters always have half of the cycles of
// every bank.
module ndp_buffer #(
  parameter int unsigned Words = 4096,
  parameter int unsigned PartBits = 128,  // a row result: Streams values
  parameter int unsigned Banks = 1,
  localparam int unsigned AddrBits = $clog2(Words),
  localparam int unsigned Parts = dimm_ndp_pkg::BurstBits / PartBits,
  localparam int unsigned PartIndexBits = $clog2(Parts)
) (
  input  logic                               clk_i,
  input  logic                               operand_req_i,
  input  logic [AddrBits-1:0]                operand_addr_i,
  output logic [dimm_ndp_pkg::BurstBits-1:0] operand_data_o,
  input  logic                               result_req_i,
  output logic                               result_gnt_o,
  input  logic [AddrBits-1:0]                result_addr_i,
  input  logic [PartIndexBits-1:0]           result_part_i,
  input  logic [PartBits-1:0]                result_data_i,
  input  logic                               x_req_i,
  output logic                               x_gnt_o,
  input  logic [AddrBits-1:0]                x_addr_i,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] x_data_i,
  input  logic                               hidden_req_i,
  output logic                               hidden_gnt_o,
  input  logic [AddrBits-1:0]                hidden_addr_i,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] hidden_data_i,
  input  logic                               drain_req_i,
  output logic                               drain_gnt_o,
  input  logic [AddrBits-1:0]                drain_addr_i,
  output logic [dimm_ndp_pkg::BurstBits-1:0] drain_data_o
);
  localparam int unsigned BB = dimm_ndp_pkg::BurstBits;
  localparam int unsigned BankShift = $clog2(Banks);

  logic [Banks-1:0] result_gnt, x_gnt, hidden_gnt, drain_gnt;
  logic [Banks*BB-1:0] rdata;

  assign result_gnt_o = |result_gnt;
  assign x_gnt_o = |x_gnt;
  assign hidden_gnt_o = |hidden_gnt;
  assign drain_gnt_o = |drain_gnt;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    // Requests for this bank.
    logic operand, result, x, hidden, drain;
    logic [AddrBits-BankShift-1:0] row;
    logic [Parts-1:0] wmask;
    logic [BB-1:0] wdata;
    logic write;

    if (Banks == 1) begin : gen_only
      assign {operand, result, x, hidden, drain} =
          {operand_req_i, result_req_i, x_req_i, hidden_req_i, drain_req_i};
    end else begin : gen_parity
      assign operand = operand_req_i && operand_addr_i[0] == 1'(b);
      assign result = result_req_i && result_addr_i[0] == 1'(b);
      assign x = x_req_i && x_addr_i[0] == 1'(b);
      assign hidden = hidden_req_i && hidden_addr_i[0] == 1'(b);
      assign drain = drain_req_i && drain_addr_i[0] == 1'(b);
    end

    assign result_gnt[b] = result & ~operand;
    assign x_gnt[b] = x & ~operand & ~result;
    assign hidden_gnt[b] = hidden & ~operand & ~result & ~x;
    assign drain_gnt[b] = drain & ~operand & ~result & ~x & ~hidden;
    assign write = result_gnt[b] | x_gnt[b] | hidden_gnt[b];

    always_comb begin
      row = drain_addr_i[AddrBits-1:BankShift];
      wmask = '1;
      if (operand) begin
        row = operand_addr_i[AddrBits-1:BankShift];
      end else if (result) begin
        row = result_addr_i[AddrBits-1:BankShift];
        wmask = Parts'(1) << result_part_i;
      end else if (x) begin
        row = x_addr_i[AddrBits-1:BankShift];
      end else if (hidden) begin
        row = hidden_addr_i[AddrBits-1:BankShift];
      end
    end

    always_comb begin
      wdata = hidden_data_i;
      if (result) wdata = {Parts{result_data_i}};
      else if (x) wdata = x_data_i;
    end

    sram_1rw #(
      .Words(Words / Banks),
      .DataBits(BB),
      .MaskBits(Parts)
    ) u_memory (
      .clk_i(clk_i),
      .req_i(operand | write | drain_gnt[b]),
      .we_i(write),
      .addr_i(row),
      .wmask_i(wmask),
      .wdata_i(wdata),
      .rdata_o(rdata[b*BB+:BB])
    );
  end

  // The bank of each reader's last read.
  if (Banks == 1) begin : gen_data
    assign operand_data_o = rdata;
    assign drain_data_o = rdata;
  end else begin : gen_select
    logic operand_q, drain_q;
    always_ff @(posedge clk_i) begin
      if (operand_req_i) operand_q <= operand_addr_i[0];
      if (drain_gnt_o) drain_q <= drain_addr_i[0];
    end
    assign operand_data_o = operand_q ? rdata[(Banks-1)*BB+:BB] : rdata[BB-1:0];
    assign drain_data_o = drain_q ? rdata[(Banks-1)*BB+:BB] : rdata[BB-1:0];
  end

  if (Banks != 1 && Banks != 2) begin : gen_bad_banks
    $error("ndp_buffer: Banks must be 1 or 2");
  end
endmodule
