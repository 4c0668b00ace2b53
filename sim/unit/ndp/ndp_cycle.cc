// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_cycle.h"

#include <algorithm>
#include <bit>

#include "unit/ndp/ndp_rules.h"

namespace neardata::unit {
namespace {

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}
std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

std::uint32_t gemv_latency(const NdpParameters& p) {
  // The ages of ndp_pkg, in its words.
  constexpr std::uint32_t kSigBits = 11;
  constexpr std::uint32_t kRootStages = 5 + 6 + 2;
  const std::uint32_t tree_levels = log2_of(p.mult_per_stream);
  const std::uint32_t serial_steps = ceil_div(kSigBits, p.bits_per_cycle);
  const std::uint32_t align_age = std::max(p.lanes + 1 + tree_levels, serial_steps);
  const std::uint32_t sum_age = align_age + 2 + tree_levels + p.lanes;
  // Halves of a block are scaled and added before they are accumulated.
  const std::uint32_t scaling = p.low_bit_weights != 0 ? 8 + 6 : 0;
  return sum_age + scaling + kRootStages + p.streams;
}

NdpCycle::NdpCycle(const NdpParameters& parameters, NdpEvents& events)
    : p_(parameters),
      events_(&events),
      streams_(p_),
      drain_(p_, events),
      block_bursts_(bursts_per_block(p_)),
      slot_cycles_(cycles_per_slot(p_)),
      free_lane_(slot_cycles_ > p_.lanes ? p_.lanes - 1 : p_.lanes - 2),
      chunk_groups_(p_.act_lanes / p_.streams),
      gemv_latency_(gemv_latency(p_)),
      core_wake_(NdpDrain::kNever),
      ports_(p_) {
  if (queued()) drain_.hold();
}

void NdpCycle::tick(Cycle now, const NdpCycleInputs& in) {
  // Fetch uses the state of the queues before this cycle, and the core does not use a response that
  // arrives in this cycle.
  const std::uint32_t taken = in.req_ready & out_.req_valid;
  const std::uint32_t fetching = taken | (streams_.able() & ~out_.req_valid);
  if (words_) fetch_idle_ = fetch_idle();
  if (fetching != 0) streams_.step(fetching, taken, out_);
  if (now >= core_wake_ || (out_.out_valid && in.out_ready) ||
      (out_.desc_ready && in.desc != nullptr) || (out_.done_valid && in.done_ready)) {
    step_core(now, in);
  }
  if (words_ && queued() && sets_up(fetch_idle())) wake_core(now + 1);
  if (now == free_wake_) free_weights(now);
  if (in.rsp_valid != 0) {
    streams_.respond(in);
    if (x_active_) wake_core(now + 1);
    // While a block is read, those behind it are looked at when it leaves.
    if (free_wake_ == NdpDrain::kNever) wake_for_slot(now);
  }
}

/// The weights that a slot has read leave their queues.
void NdpCycle::free_weights(Cycle now) {
  streams_.free_block();
  free_wake_ = NdpDrain::kNever;
  wake_for_slot(now);
}

std::uint64_t NdpCycle::state(Cycle now) const {
  std::uint64_t packed = std::uint64_t{drain_.state()} << 5U | streams_.state();
  const auto add = [&packed](std::uint64_t value, std::uint32_t bits) {
    packed = packed << bits | value;
  };
  add(static_cast<std::uint64_t>(phase_), 3);
  add(static_cast<std::uint64_t>(late_cause(now) ? slot_cause() : counted_cause_), 2);
  add(std::min<std::size_t>(results_.size(), 3), 2);
  for (const bool flag : {words_.has_value(), refused_, pending_, drain_waits_, drain_busy_,
                          drain_starts_, wait_drained_, in_flight_ > 1, now < slot_end_,
                          now<free_at_, ports_.reading(now), free_wake_ != NdpDrain::kNever,
                              scales_, up_, half_, x_active_, x_request_, pass_start_, block_ == 0,
                              token_ == 0, token_ + 1 == pass_tokens_, tokens_left_>
                              pass_tokens_}) {
    add(flag ? 1 : 0, 1);
  }
  return packed;
}

void NdpCycle::finish(Cycle now) {
  if (now == 0) return;
  const Cycle end = now - 1;  // strobes lag by one cycle
  if (end > phase_since_) {
    events_->add(counted_phase_, static_cast<std::int64_t>(phase_since_) + 1,
                 static_cast<std::int64_t>(end - phase_since_));
    phase_since_ = end;
  }
  if (late_cause(end)) note_cause(slot_cause(), slot_end_);
  count_cause(end);
}

// ---- everything that has one instance

void NdpCycle::step_core(Cycle now, const NdpCycleInputs& in) {
  if (late_cause(now)) note_cause(slot_cause(), slot_end_);
  ports_.begin(now);
  const bool setup = sets_up(fetch_idle_);
  if (setup && phase_ == Phase::kIdle) enter(Phase::kSetup, now);
  bool chunk_full = false;
  if (!results_.empty() && results_.front().request <= now && ports_.take(results_.front().word)) {
    chunk_full = results_.front().fills_chunk;
    results_.pop_front();
  }

  // The state of this cycle, before any handshake.
  const Phase phase = phase_;
  const bool out_valid = out_.out_valid;
  const bool drained = drain_.empty();
  const bool slots = in_slots();
  const bool waits_for_chunk = slots && !chunk_ready();
  const bool storing = drain_.storing();

  const bool start =
      slots && now >= slot_end_ && !waits_for_chunk && (token_ != 0 || weights_ready());
  const bool scales = start && wants_scales();
  if (scales) {
    scales_ = true;
    slot_end_ = now + 1;
  } else if (start) {
    start_slot(now);
  }
  if (now < slot_end_ || phase == Phase::kIdle) {
    note_cause(Cause::kNone, now);
  } else if (waits_for_chunk) {
    note_cause(storing ? Cause::kOutput : Cause::kOperand, now);
  } else if (phase == Phase::kTail) {
    note_cause(out_valid ? Cause::kOutput : Cause::kOperand, now);
  } else {
    note_cause(Cause::kWeights, now);
  }

  if (phase == Phase::kLoad) load_x(now);
  step_phase(now, phase, drained);
  step_descriptors(now, in, setup);
  step_drain(now, in.out_ready);
  if (chunk_full) drain_.fill();
  if (scales) streams_.free_block();
  core_wake_ = next_wake(now);
}

void NdpCycle::step_phase(Cycle now, Phase phase, bool drained) {
  switch (phase) {
    case Phase::kIdle:
      if (pending_) enter(Phase::kPlan, now + 1);
      break;
    case Phase::kSetup:
      if (broken_field(p_, *words_) == NdpField::kNone) {
        enter(Phase::kPlan, now + 1);
        break;
      }
      enter(Phase::kIdle, now + 1);
      note_cause(Cause::kNone, now + 1);
      break;
    case Phase::kPlan:
      wait_drained_ = !drained && halves_collide();
      pending_ = false;
      task_ = next_;
      streams_.read(task_);
      tokens_left_ = task_.tokens;
      first_load_ = true;
      begin_load(now + 1);
      break;
    case Phase::kTail:
      if (pending_ && !drain_waits_ && next_fits(drained) &&
          (same_format() || now >= array_free_)) {
        enter(Phase::kPlan, now + 1);
      } else if (drained) {
        enter(Phase::kIdle, now + 1);
        note_cause(Cause::kNone, now + 1);
      }
      break;
    default:
      break;
  }
}

/// Accepts, sets up and completes descriptors. The last chunk of a descriptor was drained in the
/// previous cycle.
void NdpCycle::step_descriptors(Cycle now, const NdpCycleInputs& in, bool setup) {
  if (now == fetch_at_) {
    streams_.begin(next_);
    fetch_at_ = NdpDrain::kNever;
  }
  if (drain_.ended()) ++ended_;
  if (setup) {
    const NdpField field = broken_field(p_, *words_);
    if (field == NdpField::kNone) {
      next_ = NdpTask(*words_);
      pending_ = true;
      fetch_at_ = now + 2;
      ++running_;
    } else {
      field_ = field;
      refused_ = true;
    }
    words_.reset();
  }
  if (out_.done_valid && in.done_ready) {
    if (out_.done_field == NdpField::kNone) {
      --running_;
      --ended_;
    } else {
      refused_ = false;
    }
    --in_flight_;
    add_event(NdpEvent::kDescriptorDone, now + 1);
  }
  if (out_.desc_ready && in.desc != nullptr) {
    words_ = *in.desc;
    ++in_flight_;
    fetch_idle_ = fetch_idle();
    add_event(NdpEvent::kDescriptorAccepted, now + 1);
  }
  out_.desc_ready = !words_ && in_flight_ != p_.descriptors;
  out_.done_valid = ended_ != 0 || (refused_ && running_ == 0);
  out_.done_field = refused_ && ended_ == 0 ? field_ : NdpField::kNone;
}

/// The drain serves the descriptors of the array in order.
void NdpCycle::step_drain(Cycle now, bool out_ready) {
  const bool free = !drain_busy_;
  drain_.step(now, ports_, out_ready, out_);
  if (!queued()) return;
  if (drain_.ended()) {
    drain_busy_ = false;
    drain_.hold();
  }
  if (drain_starts_) {
    drain_.begin(drain_task_);
    drain_starts_ = false;
  } else if (drain_waits_ && free) {
    drain_task_ = task_;
    drain_waits_ = false;
    drain_busy_ = true;
    drain_starts_ = true;
  }
}

// ---- ndp_x_loader

void NdpCycle::load_x(Cycle now) {
  const bool taken = x_request_ && ports_.take(x_words_ - 1);
  if (taken) add_event(NdpEvent::kInputStored, now);
  const bool pop =
      x_active_ && !ports_.reading(now) && (!x_request_ || taken) && streams_.x_present(x_stream_);
  const bool done = taken && !x_active_;
  x_request_ = pop || (x_request_ && !taken);
  if (pop) {
    streams_.pop_x(x_stream_);
    ++x_words_;
    x_stream_ = (x_stream_ + 1) & (p_.streams - 1);
    if (++x_word_ == task_.in_blocks * block_bursts_) {
      x_word_ = 0;
      x_stream_ = 0;
      if (++x_token_ == pass_tokens_) x_active_ = false;
    }
  }
  if (pass_start_) {
    add_event(NdpEvent::kPassStart, now);
    pass_start_ = false;
    x_active_ = true;
    x_word_ = 0;
    x_token_ = 0;
    x_stream_ = 0;
    x_words_ = 0;
    if (first_load_) {
      first_load_ = false;
      if (queued()) {
        drain_waits_ = true;
      } else {
        drain_.begin(task_);
      }
    }
  }
  if (done) {
    streams_.align();
    token_ = 0;
    block_ = 0;
    repeat_ = 0;
    row_ = 0;
    group_ = 0;
    up_ = false;
    block_word_ = 0;
    token_word_ = 0;
    enter(task_.op == NdpOp::kLinear ? Phase::kDown : Phase::kGateUp, now + 1);
  }
}

// ---- when and how much

NdpCycle::Cycle NdpCycle::next_wake(Cycle now) const {
  const Cycle soon = now + 1;
  Cycle wake = NdpDrain::kNever;
  const auto at = [&wake](Cycle cycle) { wake = std::min(wake, cycle); };

  if (!results_.empty()) {
    at(ports_.free(results_.front().word, std::max(results_.front().request, soon)));
  }
  if (phase_ != Phase::kIdle && !in_slots() && slot_end_ >= soon) at(slot_end_);
  if (sets_up(fetch_idle()) || drain_.ended() || drain_starts_ || (drain_waits_ && !drain_busy_)) {
    at(soon);
  }
  if (fetch_at_ != NdpDrain::kNever) at(fetch_at_);
  const bool free_to_start = slot_end_ <= soon;
  switch (phase_) {
    case Phase::kIdle:
      if (pending_) at(soon);
      break;
    case Phase::kSetup:
    case Phase::kPlan:
      at(soon);
      break;
    case Phase::kLoad:
      if (pass_start_) at(soon);
      if (x_request_) {
        at(ports_.free(x_words_ - 1, soon));
      } else if (x_active_ && streams_.x_present(x_stream_)) {
        at(ports_.reading(soon) ? ports_.read_end() + 1 : soon);
      }
      if (free_to_start && counted_cause_ != Cause::kWeights) at(soon);
      break;
    case Phase::kGateUp:
    case Phase::kDown:
      if (!free_to_start) {
        // That it ends without a next one is noted when something happens (late_cause).
        const bool weights = free_wake_ == NdpDrain::kNever && weights_ready();
        if (chunk_ready() && (token_ != 0 || weights)) at(slot_end_);
        break;
      }
      if (!chunk_ready()) {
        if (counted_cause_ != (drain_.storing() ? Cause::kOutput : Cause::kOperand)) at(soon);
      } else if (token_ != 0 || weights_ready() || counted_cause_ != Cause::kWeights) {
        at(soon);
      }
      break;
    case Phase::kTail:
      if (drain_.empty()) at(soon);
      if (pending_ && !drain_waits_ && next_fits(drain_.empty())) {
        at(same_format() ? soon : std::max(soon, array_free_));
      }
      if (free_to_start && counted_cause_ != (out_.out_valid ? Cause::kOutput : Cause::kOperand)) {
        at(soon);
      }
      break;
  }
  at(drain_.next_move(soon, ports_));
  return wake;
}

void NdpCycle::enter(Phase phase, Cycle from) {
  phase_ = phase;
  const NdpEvent event = phase_event(phase);
  if (event == counted_phase_) return;
  events_->add(counted_phase_, static_cast<std::int64_t>(phase_since_) + 1,
               static_cast<std::int64_t>(from - phase_since_));
  counted_phase_ = event;
  phase_since_ = from;
}

NdpEvent NdpCycle::phase_event(Phase phase) {
  switch (phase) {
    case Phase::kIdle:
      return NdpEvent::kIdle;
    case Phase::kGateUp:
      return NdpEvent::kPhaseGateUp;
    case Phase::kDown:
    case Phase::kTail:
      return NdpEvent::kPhaseDown;
    default:
      return NdpEvent::kPhaseLoad;
  }
}

void NdpCycle::note_cause(Cause cause, Cycle now) {
  if (cause == counted_cause_) return;
  count_cause(now);
  counted_cause_ = cause;
}

void NdpCycle::count_cause(Cycle end) {
  static constexpr std::array<NdpEvent, 4> kEvents{NdpEvent::kStallWeights, NdpEvent::kStallWeights,
                                                   NdpEvent::kStallOperand, NdpEvent::kStallOutput};
  if (counted_cause_ != Cause::kNone && end > cause_since_) {
    events_->add(kEvents[static_cast<std::size_t>(counted_cause_)],
                 static_cast<std::int64_t>(cause_since_) + 1,
                 static_cast<std::int64_t>(end - cause_since_));
  }
  cause_since_ = end;
}

}  // namespace neardata::unit
