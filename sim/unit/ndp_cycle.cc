// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp_cycle.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace neardata::unit {
namespace {

constexpr NdpCycle::Cycle kNoCycle = std::numeric_limits<NdpCycle::Cycle>::max();
constexpr std::uint32_t kOpLinear = 0;
constexpr std::uint32_t kOpGated = 1;
constexpr std::uint32_t kHalves = 2;
constexpr std::uint32_t kBurstValues = kBurstBytes / 2;

// Words of a descriptor, as in dimm_ndp_pkg.
enum Word : std::size_t {
  kMode,
  kTokens,
  kPassTokens,
  kInBlocks,
  kMidRows,
  kMidBlocks,
  kOutRows,
  kXBase,
  kXStride,
  kGateBase,
  kUpBase,
  kGuStride,
  kDownBase,
  kDownStride,
  kYBase,
  kYStride,
};

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
  return sum_age + kRootStages + p.streams;
}

NdpCycle::NdpCycle(const NdpParameters& parameters, NdpEvents& events)
    : p_(parameters),
      events_(&events),
      burst_block_(p_.mult_per_stream * p_.lanes / kBurstValues),
      block_shift_(log2_of(burst_block_)),
      slot_cycles_(16 / p_.bits_per_cycle),
      chunk_groups_(p_.act_lanes / p_.streams),
      act_words_(p_.act_lanes / kBurstValues),
      gemv_latency_(gemv_latency(p_)),
      queue_(p_.queue_bursts),
      complete_(static_cast<std::uint8_t>((1U << burst_block_) - 1)),
      arrived_(std::size_t{p_.streams} * queue_ / burst_block_) {
  wake_ = kNoCycle;
}

void NdpCycle::tick(Cycle now, const NdpCycleInputs& in) {
  // Fetch sees the queues as they were before this cycle; the core sees no response of it.
  const std::uint32_t taken = in.req_ready & out_.req_valid;
  const std::uint32_t fetching = taken | (able_ & ~out_.req_valid);
  if (fetching != 0) step_fetch(fetching, taken);
  if (now >= wake_ || (out_.out_valid && in.out_ready) || (out_.desc_ready && in.desc != nullptr) ||
      (out_.done_valid && in.done_ready)) {
    step_core(now, in);
    wake_ = next_wake(now);
  }
  if (in.rsp_valid != 0) {
    respond(in);
    const bool slots = phase_ == Phase::kGateUp || phase_ == Phase::kDown;
    if (x_active_ || (slots && ready_blocks_ == p_.streams)) wake_ = std::min(wake_, now + 1);
  }
}

void NdpCycle::finish(Cycle now) {
  if (now == 0) return;
  const Cycle end = now - 1;  // strobes come one cycle late
  if (end > phase_since_) {
    events_->add(counted_phase_, static_cast<std::int64_t>(phase_since_) + 1,
                 static_cast<std::int64_t>(end - phase_since_));
    phase_since_ = end;
  }
  count_cause(end);
}

// ---- stream_fetch

void NdpCycle::step_fetch(std::uint32_t streams, std::uint32_t taken) {
  const std::uint32_t made = streams & able_;
  const std::uint32_t tag_mask = queue_ - 1;
  out_.req_valid = (out_.req_valid & ~taken) | made;
  // Without branches and on copies, so that the streams move as one vector.
  PerStream one;
  PerStream ended;
  PerStream addr = addr_;
  PerStream slot = next_slot_;
  PerStream left = left_;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) one[s] = made >> s & 1U;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    const std::uint32_t keep = one[s] - 1U;  // all ones where nothing is made
    out_.req_addr[s] = (out_.req_addr[s] & keep) | (addr[s] & ~keep);
    out_.req_tag[s] = (out_.req_tag[s] & keep) | (slot[s] & tag_mask & ~keep);
    addr[s] += one[s];
    slot[s] += one[s];
    left[s] -= one[s];
    ended[s] = (left[s] == 0 ? one[s] : 0U) << s;
  }
  addr_ = addr;
  next_slot_ = slot;
  left_ = left;
  std::uint32_t rest = 0;
  for (const std::uint32_t bit : ended) rest |= bit;
  for (; rest != 0; rest &= rest - 1) begin_run(static_cast<std::uint32_t>(std::countr_zero(rest)));
  update_able();
}

void NdpCycle::update_able() {
  std::uint32_t able = 0;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    able |= (next_slot_[s] - head_[s] < queue_ ? active_[s] : 0U) << s;
  }
  able_ = able;
}

std::uint32_t NdpCycle::x_share(std::uint32_t s) const {
  return (plan_.in_words + p_.streams - 1 - s) / p_.streams;
}

void NdpCycle::begin_fetch() {
  for (std::uint32_t s = 0; s < p_.streams; ++s) {
    active_[s] = 1;
    fetch_[s].x_row = plan_.x_base;
    fetch_[s].tokens_left = plan_.tokens;
    begin_pass(s);
  }
  update_able();
}

void NdpCycle::begin_pass(std::uint32_t s) {
  Fetch& f = fetch_[s];
  f.pass_left = std::min(plan_.pass_tokens, f.tokens_left);
  f.run = Run::kX;
  addr_[s] = f.x_row;
  left_[s] = x_share(s);
  if (left_[s] == 0) begin_weights(s);
}

void NdpCycle::begin_weights(std::uint32_t s) {
  next_slot_[s] = (next_slot_[s] + burst_block_ - 1) & ~(burst_block_ - 1);
  if (plan_.op == kOpLinear) {
    begin_down(s);
    return;
  }
  const bool gated = plan_.op == kOpGated;
  Fetch& f = fetch_[s];
  f.run = gated ? Run::kGate : Run::kUp;
  f.row_offset = 0;
  f.rows_left = plan_.mid_groups;
  addr_[s] = gated ? plan_.gate_base : plan_.up_base;
  left_[s] = plan_.in_words;
}

void NdpCycle::begin_down(std::uint32_t s) {
  Fetch& f = fetch_[s];
  f.run = Run::kDown;
  f.row_offset = 0;
  f.rows_left = plan_.out_groups;
  addr_[s] = plan_.down_base;
  left_[s] = plan_.down_words;
}

void NdpCycle::begin_row(std::uint32_t s) {
  Fetch& f = fetch_[s];
  --f.rows_left;
  if (f.run == Run::kDown) {
    f.row_offset += plan_.down_stride;
    addr_[s] = plan_.down_base + f.row_offset;
    left_[s] = plan_.down_words;
    return;
  }
  const bool gated = plan_.op == kOpGated;
  f.run = gated ? Run::kGate : Run::kUp;
  f.row_offset += plan_.gu_stride;
  addr_[s] = (gated ? plan_.gate_base : plan_.up_base) + f.row_offset;
  left_[s] = plan_.in_words;
}

void NdpCycle::begin_run(std::uint32_t s) {
  Fetch& f = fetch_[s];
  switch (f.run) {
    case Run::kX:
      f.x_row += plan_.x_stride;
      addr_[s] = f.x_row;
      left_[s] = x_share(s);
      if (--f.pass_left == 0) begin_weights(s);
      break;
    case Run::kGate:
      f.run = Run::kUp;
      addr_[s] = plan_.up_base + f.row_offset;
      left_[s] = plan_.in_words;
      break;
    case Run::kUp:
      if (f.rows_left == 1) {
        begin_down(s);
      } else {
        begin_row(s);
      }
      break;
    case Run::kDown:
      if (f.rows_left != 1) {
        begin_row(s);
        break;
      }
      f.tokens_left -= std::min(plan_.pass_tokens, f.tokens_left);
      if (f.tokens_left == 0) {
        active_[s] = 0;
      } else {
        begin_pass(s);
      }
      break;
  }
}

// ---- burst_queue

void NdpCycle::respond(const NdpCycleInputs& in) {
  // Bytes may alias anything, so what the loop needs is held in locals.
  std::uint8_t* const arrived = arrived_.data();
  const std::uint32_t queue = queue_, shift = block_shift_, complete = complete_;
  bool news = false;
  for (std::uint32_t rest = in.rsp_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t slot = s * queue + in.rsp_tag[s];
    std::uint8_t& block = arrived[slot >> shift];
    block |= static_cast<std::uint8_t>(1U << (slot & ((1U << shift) - 1)));
    news |= block == complete;
  }
  if (news) count_ready_blocks();
}

void NdpCycle::count_ready_blocks() {
  ready_blocks_ = 0;
  for (std::uint32_t s = 0; s < p_.streams; ++s) {
    ready_blocks_ += arrived_[head_block(s)] == complete_ ? 1U : 0U;
  }
}

bool NdpCycle::x_present() const {
  const std::uint32_t bit = head_[x_stream_] & (burst_block_ - 1);
  return (arrived_[head_block(x_stream_)] >> bit & 1U) != 0;
}

void NdpCycle::free_block() {
  for (std::uint32_t s = 0; s < p_.streams; ++s) {
    arrived_[head_block(s)] = 0;
    head_[s] += burst_block_;
  }
  count_ready_blocks();
  update_able();
}

void NdpCycle::align() {
  for (std::uint32_t& head : head_) head = (head + burst_block_ - 1) & ~(burst_block_ - 1);
  count_ready_blocks();
  update_able();
}

// ---- everything that has one instance

void NdpCycle::step_core(Cycle now, const NdpCycleInputs& in) {
  const bool reading = now >= read_from_ && now <= read_to_;
  const bool freeing = read_weights_ && now == read_to_;
  bool port_free = !reading;
  bool chunk_full = false;
  if (port_free && !results_.empty() && results_.front().request <= now) {
    chunk_full = results_.front().fills_chunk;
    results_.pop_front();
    port_free = false;
  }

  // The state of this cycle, before anybody moves.
  const Phase phase = phase_;
  const bool out_valid = out_.out_valid;
  const bool drained = undrained_ == 0;
  const bool slots = phase == Phase::kGateUp || phase == Phase::kDown;
  const bool waits_for_chunk = slots && !chunk_ready();
  const bool storing = storing_;

  const bool start =
      slots && now >= slot_end_ && !waits_for_chunk && (token_ != 0 || ready_blocks_ == p_.streams);
  if (start) start_slot(now);
  if (now < slot_end_ || phase == Phase::kIdle) {
    note_cause(Cause::kNone, now);
  } else if (waits_for_chunk) {
    note_cause(storing ? Cause::kOutput : Cause::kOperand, now);
  } else if (phase == Phase::kTail) {
    note_cause(out_valid ? Cause::kOutput : Cause::kOperand, now);
  } else {
    note_cause(Cause::kWeights, now);
  }

  if (phase == Phase::kLoad) load_x(now, reading, port_free);
  step_descriptor(now, in, phase, drained);
  drain(now, port_free, in.out_ready);
  full_ += chunk_full ? 1U : 0U;
  if (freeing) {
    free_block();
    read_weights_ = false;
  }
}

void NdpCycle::step_descriptor(Cycle now, const NdpCycleInputs& in, Phase phase, bool drained) {
  switch (phase) {
    case Phase::kIdle:
      if (out_.done_valid && in.done_ready) {
        out_.done_valid = false;
        out_.desc_ready = true;
        add_event(NdpEvent::kDescriptorDone, now + 1);
      } else if (out_.desc_ready && in.desc != nullptr) {
        out_.desc_ready = false;
        derive_plan(*in.desc);
        add_event(NdpEvent::kDescriptorAccepted, now + 1);
        enter(Phase::kSetup, now + 1);
      }
      break;
    case Phase::kSetup:
      enter(Phase::kPlan, now + 1);
      break;
    case Phase::kPlan:
      tokens_left_ = plan_.tokens;
      first_load_ = true;
      begin_load(now + 1);
      break;
    case Phase::kTail:
      if (drained) {
        out_.done_valid = true;
        enter(Phase::kIdle, now + 1);
        note_cause(Cause::kNone, now + 1);
      }
      break;
    default:
      break;
  }
}

void NdpCycle::derive_plan(const Descriptor& d) {
  const auto words = [this](std::uint32_t blocks) { return blocks << block_shift_; };
  plan_.op = d[kMode] & 3U;
  plan_.tokens = d[kTokens];
  plan_.pass_tokens = d[kPassTokens];
  plan_.in_blocks = d[kInBlocks];
  plan_.in_words = words(d[kInBlocks]);
  plan_.mid_rows = d[kMidRows];
  plan_.mid_groups = ceil_div(d[kMidRows], p_.streams);
  plan_.mid_words = words(d[kMidBlocks]);
  plan_.out_rows = d[kOutRows];
  plan_.out_groups = ceil_div(d[kOutRows], p_.streams);
  plan_.out_words = ceil_div(d[kOutRows], kBurstValues);
  plan_.down_blocks = plan_.op == kOpLinear ? d[kInBlocks] : d[kMidBlocks];
  plan_.down_words = words(plan_.down_blocks);
  plan_.x_base = d[kXBase];
  plan_.x_stride = d[kXStride];
  plan_.gate_base = d[kGateBase];
  plan_.up_base = d[kUpBase];
  plan_.gu_stride = d[kGuStride];
  plan_.down_base = d[kDownBase];
  plan_.down_stride = d[kDownStride];
  plan_.y_base = d[kYBase];
  plan_.y_stride = d[kYStride];
}

// ---- x_loader

void NdpCycle::load_x(Cycle now, bool reading, bool& port_free) {
  const bool taken = x_request_ && port_free;
  if (taken) {
    port_free = false;
    add_event(NdpEvent::kInputStored, now);
  }
  const bool pop = x_active_ && !reading && (!x_request_ || taken) && x_present();
  const bool done = taken && !x_active_;
  x_request_ = pop || (x_request_ && !taken);
  if (pop) {
    const std::uint32_t bit = head_[x_stream_] & (burst_block_ - 1);
    arrived_[head_block(x_stream_)] &= static_cast<std::uint8_t>(~(1U << bit));
    ++head_[x_stream_];
    update_able();
    x_stream_ = (x_stream_ + 1) & (p_.streams - 1);
    if (++x_word_ == plan_.in_words) {
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
    if (first_load_) {
      first_load_ = false;
      begin_fetch();
      drain_tokens_left_ = plan_.tokens;
      drain_token_ = 0;
      y_pass_ = plan_.y_base;
      begin_drain_matrix(plan_.op == kOpLinear);
    }
  }
  if (done) {
    align();
    token_ = 0;
    block_ = 0;
    row_ = 0;
    group_ = 0;
    up_ = false;
    enter(plan_.op == kOpLinear ? Phase::kDown : Phase::kGateUp, now + 1);
  }
}

// ---- sequencer

void NdpCycle::begin_load(Cycle from) {
  pass_tokens_ = std::min(tokens_left_, plan_.pass_tokens);
  pass_start_ = true;
  enter(Phase::kLoad, from);
}

bool NdpCycle::chunk_ready() const {
  if (token_ != 0 || block_ != 0 || group_ != 0 || up_) return true;
  if (phase_ == Phase::kDown && row_ == 0 && plan_.op != kOpLinear) return undrained_ == 0;
  return undrained_ < kHalves;
}

void NdpCycle::start_slot(Cycle now) {
  const bool down = phase_ == Phase::kDown;
  if (token_ == 0 && block_ == 0 && group_ == 0 && !up_) ++undrained_;
  add_event(NdpEvent::kSlotStart, now);
  if (token_ == 0) add_event(NdpEvent::kNewWeightSlot, now);
  slot_end_ = now + slot_cycles_;
  read_from_ = now + 1;
  read_to_ = now + p_.lanes;
  read_weights_ = token_ == 0;

  const bool last_token = token_ == pass_tokens_ - 1;
  const bool last_block = block_ == (down ? plan_.down_blocks : plan_.in_blocks) - 1;
  const bool row_done = last_token && last_block && (down || up_ || plan_.op != kOpGated);
  const bool last_row = row_ == (down ? plan_.out_groups : plan_.mid_groups) - 1;
  const bool fills_chunk = row_done && (last_row || group_ == chunk_groups_ - 1);
  // Lane 0 is loaded two cycles after the start; the result waits in a register from the cycle
  // after it comes.
  if (last_block) results_.push_back({now + 2 + gemv_latency_ + 1, fills_chunk});

  if (!last_token) {
    ++token_;
    return;
  }
  token_ = 0;
  if (!last_block) {
    ++block_;
    return;
  }
  block_ = 0;
  up_ = !row_done;
  if (!row_done) return;
  group_ = fills_chunk ? 0 : group_ + 1;
  if (!last_row) {
    ++row_;
    return;
  }
  row_ = 0;
  if (!down) {
    enter(Phase::kDown, now + 1);
    return;
  }
  tokens_left_ -= pass_tokens_;
  if (tokens_left_ == 0) {
    enter(Phase::kTail, now + 1);
  } else {
    begin_load(now + 1);
  }
}

// ---- chunk_drain with act_ctrl and store_unit

void NdpCycle::drain(Cycle now, bool port_free, bool out_ready) {
  switch (task_) {
    case Task::kNone:
      if (full_ != 0) task_ = Task::kBegin;
      break;
    case Task::kBegin:
      if (drain_token_ == 0) y_token_ = y_pass_;
      task_word_ = 0;
      task_ = storing_ ? Task::kRead : Task::kGate;
      break;
    case Task::kGate:
    case Task::kUp:
      if (!port_free || ++task_word_ != act_words_) break;
      task_word_ = 0;
      task_ = task_ == Task::kGate && plan_.op == kOpGated ? Task::kUp : Task::kGo;
      break;
    case Task::kGo:
      // The unit starts in the next cycle.
      add_event(NdpEvent::kActBatchStart, now + 1);
      events_->add(NdpEvent::kActBusy, static_cast<std::int64_t>(now) + 2, kActLatency + 1);
      act_done_ = now + 1 + kActLatency;
      task_ = Task::kCompute;
      break;
    case Task::kCompute:
      if (now == act_done_) task_ = Task::kWrite;
      break;
    case Task::kWrite:
      if (port_free && ++task_word_ == task_words()) task_done();
      break;
    case Task::kRead:
      if (port_free) task_ = Task::kTake;
      break;
    case Task::kTake: {
      const std::uint32_t word = first_word_ + task_word_;
      out_.out_valid = true;
      out_.out_stream = word & (p_.streams - 1);
      out_.out_addr = y_token_ + word / p_.streams;
      task_ = Task::kSend;
      break;
    }
    case Task::kSend:
      if (!out_ready) break;
      add_event(NdpEvent::kOutputAccepted, now);
      out_.out_valid = false;
      task_ = Task::kRead;
      if (++task_word_ == task_words()) task_done();
      break;
  }
}

std::uint32_t NdpCycle::task_words() const {
  return rows_left_ <= p_.act_lanes ? words_left_ : act_words_;
}

void NdpCycle::task_done() {
  task_ = Task::kNone;
  const std::uint32_t pass = std::min(drain_tokens_left_, plan_.pass_tokens);
  if (++drain_token_ != pass) {
    y_token_ += plan_.y_stride;
    return;
  }
  drain_token_ = 0;
  --full_;
  --undrained_;
  if (rows_left_ > p_.act_lanes) {
    rows_left_ -= p_.act_lanes;
    words_left_ -= act_words_;
    first_word_ += act_words_;
    return;
  }
  if (!storing_) {
    begin_drain_matrix(true);
    return;
  }
  drain_tokens_left_ -= pass;
  y_pass_ = y_token_ + plan_.y_stride;
  begin_drain_matrix(plan_.op == kOpLinear);
}

void NdpCycle::begin_drain_matrix(bool storing) {
  storing_ = storing;
  rows_left_ = storing ? plan_.out_rows : plan_.mid_rows;
  words_left_ = storing ? plan_.out_words : plan_.mid_words;
  first_word_ = 0;
}

// ---- when and how much

NdpCycle::Cycle NdpCycle::next_wake(Cycle now) const {
  const Cycle soon = now + 1;
  const Cycle port = soon >= read_from_ && soon <= read_to_ ? read_to_ + 1 : soon;
  Cycle wake = kNoCycle;
  const auto at = [&wake](Cycle cycle) { wake = std::min(wake, cycle); };

  if (read_weights_) at(read_to_);
  if (!results_.empty()) at(std::max(results_.front().request, port));
  if (phase_ != Phase::kIdle && slot_end_ >= soon) at(slot_end_);
  const bool free_to_start = slot_end_ <= soon;
  switch (phase_) {
    case Phase::kIdle:
      break;
    case Phase::kSetup:
    case Phase::kPlan:
      at(soon);
      break;
    case Phase::kLoad:
      if (pass_start_) at(soon);
      if (x_request_ || (x_active_ && x_present())) at(port);
      if (free_to_start && counted_cause_ != Cause::kWeights) at(soon);
      break;
    case Phase::kGateUp:
    case Phase::kDown:
      if (!free_to_start) break;
      if (!chunk_ready()) {
        if (counted_cause_ != (storing_ ? Cause::kOutput : Cause::kOperand)) at(soon);
      } else if (token_ != 0 || ready_blocks_ == p_.streams || counted_cause_ != Cause::kWeights) {
        at(soon);
      }
      break;
    case Phase::kTail:
      if (undrained_ == 0) at(soon);
      if (free_to_start && counted_cause_ != (out_.out_valid ? Cause::kOutput : Cause::kOperand)) {
        at(soon);
      }
      break;
  }
  switch (task_) {
    case Task::kNone:
      if (full_ != 0) at(soon);
      break;
    case Task::kBegin:
    case Task::kGo:
    case Task::kTake:
      at(soon);
      break;
    case Task::kGate:
    case Task::kUp:
    case Task::kWrite:
    case Task::kRead:
      at(port);
      break;
    case Task::kCompute:
      at(act_done_);
      break;
    case Task::kSend:
      break;
  }
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
