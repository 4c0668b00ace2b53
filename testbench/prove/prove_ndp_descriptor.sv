// SPDX-License-Identifier: Apache-2.0
// The descriptor queue of the NDP unit: ndp_descriptor and ndp_plans, with any descriptors. Request generator, array
// and drain have any latency; the array accepts the newest plan only while it is pending. Three parts of a descriptor
// matter: the operation, whether it has tokens, and one bit of an address.
`include "prove.svh"
module prove_ndp_descriptor #(
  parameter int unsigned Descriptors = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       pick_i,
  input logic       desc_valid_i,
  input logic [3:0] desc_i,  // tokens, an address, the operation
  input logic       done_ready_i,
  input logic       fetch_idle_i,
  input logic       array_takes_i,
  input logic       drained_i
);
  `FROM_ANY_STATE
  localparam int unsigned CountBits = 4;
  logic [dimm_ndp_pkg::DescBits-1:0] desc;
  always @* begin
    desc = '0;
    desc[32*dimm_ndp_pkg::DescMode+:2] = desc_i[1:0];
    desc[32*dimm_ndp_pkg::DescXBase] = desc_i[2];
    desc[32*dimm_ndp_pkg::DescTokens] = desc_i[3];
    desc[32*dimm_ndp_pkg::DescPassTokens] = 1'b1;
    desc[32*dimm_ndp_pkg::DescInBlocks] = 1'b1;
    desc[32*dimm_ndp_pkg::DescMidRows] = 1'b1;
    desc[32*dimm_ndp_pkg::DescMidBlocks] = 1'b1;
    desc[32*dimm_ndp_pkg::DescOutRows] = 1'b1;
    desc[32*dimm_ndp_pkg::DescHWord] = 1'b1;
    desc[32*dimm_ndp_pkg::DescCWord+1] = 1'b1;
  end
  // The field for which it is refused: an operation that is none, or no tokens.
  logic [dimm_ndp_pkg::FieldBits-1:0] refused, done_field;
  assign refused = desc_i[1:0] == 2'd3 ? dimm_ndp_pkg::FieldOperation
      : !desc_i[3] ? dimm_ndp_pkg::FieldTokens : dimm_ndp_pkg::FieldNone;

  logic desc_ready, done_valid, accepted, finished, setup, planned, held;
  logic fetch_start, pending, drain_waits, drain_start, drain_hold, moving;
  dimm_ndp_pkg::plan_t newest, array_plan, drain_plan;
  logic array_start_q, drain_works_q;
  logic fetching_q, fetched_q;  // requests are in progress, and complete, for the plan with this bit

  ndp_descriptor #(
    .Streams(2),
    .BurstsPerBlock(1),
    .ActLanes(32),
    .MaxTokens(4),
    .BufferWords(64),
    .Descriptors(Descriptors)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .desc_i(desc),
    .done_valid_o(done_valid),
    .done_ready_i(done_ready_i),
    .done_field_o(done_field),
    .accepted_o(accepted),
    .finished_o(finished),
    .plan_held_i(held),
    .setup_o(setup),
    .start_o(planned),
    .plan_o(newest),
    .done_i(drained_i)
  );

  ndp_plans #(
    .Descriptors(Descriptors)
  ) u_plans (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .planned_i(planned),
    .plan_i(newest),
    .held_o(held),
    .fetch_idle_i(fetch_idle_i),
    .fetch_start_o(fetch_start),
    .pending_o(pending),
    .array_takes_i(array_takes_i),
    .array_start_i(array_start_q),
    .array_plan_o(array_plan),
    .drain_waits_o(drain_waits),
    .drain_start_o(drain_start),
    .drain_hold_o(drain_hold),
    .drained_i(drained_i),
    .drain_plan_o(drain_plan),
    .moving_o(moving)
  );

  always @(posedge clk_i) begin
    array_start_q <= rst_ni && array_takes_i;
    drain_works_q <= rst_ni && (drain_start || (drain_works_q && !drained_i));
    fetching_q <= rst_ni && (fetch_start || (fetching_q && !fetch_idle_i));
    if (fetch_start) fetched_q <= newest.x_base[0];
  end
  `ASSUME(!array_takes_i || (pending && !drain_waits && !array_start_q))
  `ASSUME(!drained_i || drain_works_q)

  logic push, pop;
  assign push = desc_valid_i && desc_ready;
  assign pop = done_valid && done_ready_i;
  logic push_good;
  assign push_good = push && refused == dimm_ndp_pkg::FieldNone;

  logic [CountBits-1:0] inside, to_fetch, to_array, to_drain;
  logic answer_wrong, fetch_wrong, array_wrong, drain_wrong;
  word_watch #(
    .DataBits(dimm_ndp_pkg::FieldBits),
    .CountBits(CountBits)
  ) u_answers (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(push),
    .push_data_i(refused),
    .pop_i(pop),
    .pop_data_i(done_field),
    .inside_o(inside),
    .wrong_o(answer_wrong)
  );
  word_watch #(
    .DataBits(1),
    .CountBits(CountBits)
  ) u_fetched (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(push_good),
    .push_data_i(desc_i[2]),
    .pop_i(fetch_start),
    .pop_data_i(newest.x_base[0]),
    .inside_o(to_fetch),
    .wrong_o(fetch_wrong)
  );
  word_watch #(
    .DataBits(1),
    .CountBits(CountBits)
  ) u_computed (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(push_good),
    .push_data_i(desc_i[2]),
    .pop_i(array_start_q),
    .pop_data_i(array_plan.x_base[0]),
    .inside_o(to_array),
    .wrong_o(array_wrong)
  );
  word_watch #(
    .DataBits(1),
    .CountBits(CountBits)
  ) u_drained (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(push_good),
    .push_data_i(desc_i[2]),
    .pop_i(drain_start),
    .pop_data_i(drain_plan.x_base[0]),
    .inside_o(to_drain),
    .wrong_o(drain_wrong)
  );

  // Drained and not answered; and whether the newest waits for its set-up.
  logic [CountBits-1:0] ended_q;
  logic waits_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      ended_q <= '0;
      waits_q <= 1'b0;
    end else begin
      ended_q <= ended_q + CountBits'(drained_i)
          - CountBits'(pop && done_field == dimm_ndp_pkg::FieldNone);
      waits_q <= push || (waits_q && !setup);
    end
  end

  `PROVE(InOrder, !answer_wrong)
  `PROVE(NoneInvented, !done_valid || inside != '0)
  `PROVE(InFlightLimit, inside <= CountBits'(Descriptors))
  `PROVE(Room, desc_ready == (inside != CountBits'(Descriptors) && !waits_q))
  `PROVE(FetchedInOrder, !fetch_wrong && (!fetch_start || to_fetch != '0))
  `PROVE(PlanStays, !fetching_q || newest.x_base[0] == fetched_q)
  `PROVE(ComputedInOrder, !array_wrong && (!array_start_q || to_array != '0))
  `PROVE(DrainedInOrder, !drain_wrong && (!drain_start || to_drain != '0))
  `PROVE(NoneEarly, !done_valid || done_field != dimm_ndp_pkg::FieldNone || ended_q != '0)
  `PROVE(DrainHeld, drain_works_q || drain_hold)
endmodule
