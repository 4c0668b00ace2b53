// SPDX-License-Identifier: Apache-2.0
// Event strobes and the quiet signal of the unit. The strobes are registered: they show the
// previous cycle. After a cycle without any movement no register changes until a handshake, so
// quiet_o means: the strobes of the previous cycle equal those of the cycle before it, and nothing
// moved.
`include "assert.svh"
module ndp_events (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  dimm_ndp_pkg::phase_e            phase_i,
  input  logic                            setup_i,
  input  logic                            accepted_i,
  input  logic                            finished_i,
  input  logic                            pass_start_i,
  input  logic                            slot_i,
  input  logic                            slot_weights_i,
  input  logic                            busy_i,         // a cycle of a slot
  input  logic                            wait_chunk_i,   // the next slot waits for the drain
  input  logic                            storing_i,      // the drain is at output chunks
  input  logic                            out_valid_i,
  input  logic                            out_taken_i,
  input  logic                            x_stored_i,
  input  logic                            act_start_i,
  input  logic                            act_running_i,
  input  logic                            activity_i,     // some register will change
  input  logic                            array_busy_i,
  output logic [dimm_ndp_pkg::Events-1:0] events_o,
  output logic                            quiet_o
);
  logic [dimm_ndp_pkg::Events-1:0] events_q;
  assign events_o = events_q;

  logic running, tail, stalled;
  logic [dimm_ndp_pkg::Events-1:0] events_d;
  logic moved_q;

  assign running = setup_i || phase_i != dimm_ndp_pkg::PhaseIdle;
  assign tail = phase_i == dimm_ndp_pkg::PhaseTail;
  assign stalled = running && !busy_i;

  always_comb begin
    events_d = '0;
    events_d[dimm_ndp_pkg::EvSlot] = slot_i;
    events_d[dimm_ndp_pkg::EvNewWeights] = slot_weights_i;
    events_d[dimm_ndp_pkg::EvStallOutput] =
        stalled && ((wait_chunk_i && storing_i) || (tail && out_valid_i));
    events_d[dimm_ndp_pkg::EvStallOperand] =
        stalled && ((wait_chunk_i && !storing_i) || (tail && !out_valid_i));
    events_d[dimm_ndp_pkg::EvStallWeights] = stalled && !wait_chunk_i && !tail;
    events_d[dimm_ndp_pkg::EvActStart] = act_start_i;
    events_d[dimm_ndp_pkg::EvActBusy] = act_running_i;
    events_d[dimm_ndp_pkg::EvDescAccepted] = accepted_i;
    events_d[dimm_ndp_pkg::EvDescDone] = finished_i;
    events_d[dimm_ndp_pkg::EvXStored] = x_stored_i;
    events_d[dimm_ndp_pkg::EvOutAccepted] = out_taken_i;
    events_d[dimm_ndp_pkg::EvIdle] = !running;
    events_d[dimm_ndp_pkg::EvPassStart] = pass_start_i;
    events_d[dimm_ndp_pkg::EvPhaseDown] = phase_i == dimm_ndp_pkg::PhaseDown || tail;
    events_d[dimm_ndp_pkg::EvPhaseGateUp] = phase_i == dimm_ndp_pkg::PhaseGateUp;
    events_d[dimm_ndp_pkg::EvPhaseLoad] = (setup_i && phase_i == dimm_ndp_pkg::PhaseIdle)
                                          || phase_i == dimm_ndp_pkg::PhaseSetup
                                          || phase_i == dimm_ndp_pkg::PhaseLoad;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      events_q <= '0;
      moved_q <= 1'b1;
    end else begin
      events_q <= events_d;
      moved_q <= activity_i || events_d != events_q;
    end
  end

  assign quiet_o = !moved_q && !array_busy_i;

  `HOLDS(OneCause_A, $countones({busy_i && running, events_d[dimm_ndp_pkg::EvStallOutput],
      events_d[dimm_ndp_pkg::EvStallOperand], events_d[dimm_ndp_pkg::EvStallWeights]})
      == 32'(running))
endmodule
