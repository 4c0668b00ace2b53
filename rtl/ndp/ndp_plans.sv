// SPDX-License-Identifier: Apache-2.0
// The plan of each part of the unit. Requests, array and drain process the descriptors in order, each at its
// own pace: the unit loads inputs of the next descriptor while it drains results of the previous one. The
// newest plan stays with ndp_descriptor (held_o) until all its requests are made and the array has accepted it;
// array and drain have copies. With one descriptor, all parts share one plan. Timing with more descriptors:
// - a plan that arrives with planned_i in cycle t is pending from t+1 to the cycle of array_takes_i, and its
//   requests start in t+2 (fetch_start_o);
// - the array uses the plan from the cycle after array_takes_i on, which is the cycle of array_start_i;
// - the drain accepts the plan in the cycle of array_start_i, or when the previous plan is drained (drained_i).
//   It starts in the next cycle (drain_start_o) and begins no chunk before the cycle after that (drain_hold_o).
`include "assert.svh"
module ndp_plans #(
  parameter int unsigned Descriptors = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                planned_i,
  input  dimm_ndp_pkg::plan_t plan_i,         // of the newest descriptor, from the cycle after on
  output logic                held_o,         // it is in use
  input  logic                fetch_idle_i,   // every request is made and accepted
  output logic                fetch_start_o,
  output logic                pending_o,      // the array has not accepted the newest
  input  logic                array_takes_i,
  input  logic                array_start_i,
  output dimm_ndp_pkg::plan_t array_plan_o,
  output logic                drain_waits_o,  // the drain has not accepted the plan of the array
  output logic                drain_start_o,
  output logic                drain_hold_o,
  input  logic                drained_i,      // strobe, the cycle after the last chunk
  output dimm_ndp_pkg::plan_t drain_plan_o,
  output logic                moving_o
);
  if (Descriptors == 1) begin : gen_one
    assign held_o = 1'b0;
    assign fetch_start_o = array_start_i;
    assign pending_o = 1'b0;
    assign array_plan_o = plan_i;
    assign drain_waits_o = 1'b0;
    assign drain_start_o = array_start_i;
    assign drain_hold_o = 1'b0;
    assign drain_plan_o = plan_i;
    assign moving_o = 1'b0;
  end else begin : gen_each
    logic pending_q, planned_q, fetch_start_q;
    logic drain_waits_q, drain_busy_q, drain_start_q;
    logic drain_free, drain_takes;
    dimm_ndp_pkg::plan_t array_plan_q, drain_plan_q;

    assign drain_free = !drain_busy_q || drained_i;
    assign drain_takes = (array_start_i || drain_waits_q) && drain_free;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        pending_q <= 1'b0;
        planned_q <= 1'b0;
        fetch_start_q <= 1'b0;
        drain_waits_q <= 1'b0;
        drain_busy_q <= 1'b0;
        drain_start_q <= 1'b0;
      end else begin
        pending_q <= planned_i || (pending_q && !array_takes_i);
        planned_q <= planned_i;
        fetch_start_q <= planned_q;
        drain_waits_q <= (array_start_i || drain_waits_q) && !drain_free;
        drain_busy_q <= drain_takes || (drain_busy_q && !drained_i);
        drain_start_q <= drain_takes;
      end
      if (array_takes_i) array_plan_q <= plan_i;
      if (drain_takes) drain_plan_q <= array_plan_q;
    end

    assign held_o = pending_q || fetch_start_q || !fetch_idle_i;
    assign fetch_start_o = fetch_start_q;
    assign pending_o = pending_q;
    assign array_plan_o = array_plan_q;
    assign drain_waits_o = drain_waits_q;
    assign drain_start_o = drain_start_q;
    assign drain_hold_o = drain_free || drain_start_q;
    assign drain_plan_o = drain_plan_q;
    assign moving_o = planned_q || fetch_start_q || drain_takes || drain_start_q;
  end

  `IMPLIES(NewestStays_A, planned_i, !held_o)
  `IMPLIES(TakesPending_A, Descriptors > 1 && array_takes_i, pending_o && !drain_waits_o)
endmodule
