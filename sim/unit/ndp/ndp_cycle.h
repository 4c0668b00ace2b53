// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `dimm_ndp`: the same handshakes with the same requests in the same cycles and the
// same event counts as the RTL, on every input and pause pattern, without any values. It works from
// event to event: a cycle without a handshake before `idle_until` need not be ticked.
//
// Cycle 0 is the first cycle after reset. `outputs` are those of the next cycle to tick; they do
// not depend on that cycle's inputs. The timing rules are those written in the headers of
// rtl/ndp/*.sv; each part of the state below names the module that it follows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "unit/ndp/ndp_buffer_ports.h"
#include "unit/ndp/ndp_cycle_ports.h"
#include "unit/ndp/ndp_drain.h"
#include "unit/ndp/ndp_events.h"
#include "unit/ndp/ndp_streams.h"
#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

class NdpCycle {
 public:
  using Cycle = std::uint64_t;

  /// The events outlive the model.
  NdpCycle(const NdpParameters& parameters, NdpEvents& events);

  [[nodiscard]] const NdpCycleOutputs& outputs() const { return out_; }
  /// The first cycle that must be ticked even if no handshake happens in it.
  [[nodiscard]] Cycle idle_until() const {
    return (streams_.able() & ~out_.req_valid) != 0 ? 0 : std::min(core_wake_, free_wake_);
  }
  /// Cycle `now` with its inputs. Cycles between the last one ticked and `now` had no handshake.
  void tick(Cycle now, const NdpCycleInputs& in);
  /// Counts the events of all cycles before `now`.
  void finish(Cycle now);
  /// The state of the model in cycle `now` before its tick, packed: flags, phases and small counts.
  /// The search for uncovered cases distinguishes cases by it.
  [[nodiscard]] std::uint64_t state(Cycle now) const;

 private:
  enum class Phase : std::uint8_t { kIdle, kSetup, kPlan, kLoad, kGateUp, kDown, kTail };
  enum class Cause : std::uint8_t { kNone, kWeights, kOperand, kOutput };

  struct Result {
    Cycle request;  ///< first cycle in which it requests the buffer
    std::uint32_t word;
    bool fills_chunk;
  };

  [[nodiscard]] bool in_slots() const { return phase_ == Phase::kGateUp || phase_ == Phase::kDown; }
  void free_weights(Cycle now);
  void wake_core(Cycle at) {
    if (at < core_wake_) core_wake_ = at;
  }
  /// A slot with available weights may start, but not before the end of the current slot.
  void wake_for_slot(Cycle now) {
    if (in_slots() && weights_ready()) wake_core(slot_end_ > now ? slot_end_ : now + 1);
  }
  void step_core(Cycle now, const NdpCycleInputs& in);
  void step_phase(Cycle now, Phase phase, bool drained);
  void step_descriptors(Cycle now, const NdpCycleInputs& in, bool setup);
  void step_drain(Cycle now, bool out_ready);
  [[nodiscard]] bool queued() const { return p_.descriptors > 1; }
  /// The descriptor that waits is set up, where the requests of the one before it are made.
  [[nodiscard]] bool sets_up(bool fetch_idle) const {
    return words_ && !refused_ && !pending_ && fetch_at_ == NdpDrain::kNever && fetch_idle;
  }
  [[nodiscard]] bool fetch_idle() const {
    return !queued() || (out_.req_valid == 0 && streams_.idle());
  }
  /// Whether the next descriptor's inputs and hidden rows are below results that are not drained.
  [[nodiscard]] bool next_fits(bool drained) const {
    return drained || next_.c_word <= task_.c_word;
  }
  [[nodiscard]] bool same_format() const {
    return next_.bf16 == task_.bf16 && next_.weights == task_.weights;
  }
  /// Whether the first chunk of the next descriptor may overwrite results that are not drained.
  [[nodiscard]] bool halves_collide() const;
  void load_x(Cycle now);
  [[nodiscard]] std::uint32_t result_word() const;
  [[nodiscard]] bool chunk_ready() const;
  [[nodiscard]] bool wants_scales() const {
    return task_.low_bit() && token_ == 0 && block_ % scaled_blocks(task_.weights) == 0 && !scales_;
  }
  /// Whether the burst of scales or the block for the next slot's first step has arrived.
  [[nodiscard]] bool weights_ready() const {
    return wants_scales() ? streams_.scales_ready() : streams_.blocks_ready();
  }
  void begin_load(Cycle from);
  void start_slot(Cycle now);
  void enter(Phase phase, Cycle from);
  [[nodiscard]] static NdpEvent phase_event(Phase phase);
  void note_cause(Cause cause, Cycle now);
  void count_cause(Cycle end);
  /// The cause for which the next slot waits, if no slot is running.
  [[nodiscard]] Cause slot_cause() const {
    if (chunk_ready()) return Cause::kWeights;
    return drain_.storing() ? Cause::kOutput : Cause::kOperand;
  }
  /// A slot ended before `now` without a successor, and the cause is not recorded yet: nothing else
  /// happened in that cycle, nor since.
  [[nodiscard]] bool late_cause(Cycle now) const {
    return counted_cause_ == Cause::kNone && in_slots() && slot_end_ < now;
  }
  [[nodiscard]] Cycle next_wake(Cycle now) const;
  void add_event(NdpEvent event, Cycle fact) {
    events_->add(event, static_cast<std::int64_t>(fact) + 1);
  }

  NdpParameters p_;
  NdpEvents* events_;
  NdpCycleOutputs out_;
  NdpStreams streams_;
  NdpDrain drain_;

  // Derived from the parameters.
  std::uint32_t block_bursts_;
  std::uint32_t slot_cycles_;
  std::uint32_t free_lane_;  ///< of a slot, with which its weights leave
  std::uint32_t chunk_groups_;
  std::uint32_t gemv_latency_;

  Cycle core_wake_;                     ///< step_core is wanted
  Cycle free_wake_ = NdpDrain::kNever;  ///< the weights that are read leave

  // ndp_descriptor
  std::optional<Descriptor> words_;   ///< of a descriptor that waits for its set-up
  NdpField field_ = NdpField::kNone;  ///< for which the newest that was set up is refused
  bool refused_ = false;
  std::uint32_t in_flight_ = 0;  ///< accepted and not completed
  std::uint32_t running_ = 0;    ///< of them, started
  std::uint32_t ended_ = 0;      ///< of them, done
  bool fetch_idle_ = true;       ///< before this cycle

  // ndp_plans
  NdpTask next_;                       ///< the newest plan
  bool pending_ = false;               ///< not accepted by the array yet
  Cycle fetch_at_ = NdpDrain::kNever;  ///< its requests begin
  NdpTask drain_task_;
  bool drain_waits_ = false;  ///< for the descriptor before that of the array
  bool drain_busy_ = false;
  bool drain_starts_ = false;

  // ndp_sequencer
  NdpTask task_;
  Phase phase_ = Phase::kIdle;
  bool first_load_ = false;    ///< the cycle in which a descriptor starts
  bool wait_drained_ = false;  ///< its first chunk waits for those before it
  Cycle array_free_ = 0;       ///< nothing of a slot is left in the array
  bool pass_start_ = false;
  std::uint32_t tokens_left_ = 0;
  std::uint32_t pass_tokens_ = 0;
  std::uint32_t token_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t repeat_ = 0;  ///< passes of weights over this operand block
  bool scales_ = false;       ///< those of the block are read
  std::uint32_t row_ = 0;
  std::uint32_t group_ = 0;
  bool up_ = false;
  bool half_ = false;
  std::uint32_t block_word_ = 0;  ///< operand block of the first token in the buffer
  std::uint32_t token_word_ = 0;  ///< operand block of this token
  Cycle slot_end_ = 0;            ///< a slot may start from here on
  Cycle free_at_ = 0;             ///< weights of the slot, if it reads any, leave

  // ndp_x_loader
  bool x_active_ = false;
  bool x_request_ = false;
  std::uint32_t x_word_ = 0;
  std::uint32_t x_token_ = 0;
  std::uint32_t x_stream_ = 0;
  std::uint32_t x_words_ = 0;  ///< of the pass, popped

  NdpBufferPorts ports_;
  std::deque<Result> results_;  // ndp_gemv_unit and ndp_result_writer

  // Spans of events that last.
  NdpEvent counted_phase_ = NdpEvent::kIdle;
  Cycle phase_since_ = 0;
  Cause counted_cause_ = Cause::kNone;
  Cycle cause_since_ = 0;
};

/// Cycles from a lane-0 load to its result, as ndp_pkg::gemv_latency.
[[nodiscard]] std::uint32_t gemv_latency(const NdpParameters& parameters);

}  // namespace neardata::unit
