// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_drain.h"

#include <algorithm>

namespace neardata::unit {
namespace {

std::uint32_t words_of(std::uint32_t rows) { return (rows + kBurstValues - 1) / kBurstValues; }

}  // namespace

NdpDrain::NdpDrain(const NdpParameters& p, NdpEvents& events)
    : streams_(p.streams),
      act_lanes_(p.act_lanes),
      act_words_(words_of(p.act_lanes)),
      burst_block_(bursts_per_block(p)),
      events_(&events) {}

void NdpDrain::begin(const NdpTask& task) {
  task_ = task;
  held_ = false;
  tokens_left_ = task_.tokens;
  token_ = 0;
  y_pass_ = task_.y_base;
  begin_matrix(task_.op == NdpOp::kLinear);
}

std::uint32_t NdpDrain::buffer_word() const {
  if (move_ == Move::kWrite) {
    return task_.h_word + first_word_ + token_ * task_.mid_blocks * burst_block_ + word_;
  }
  const std::uint32_t half_words = task_.pass_tokens * act_words_;
  const std::uint32_t matrix = (half_ ? 2 : 0) + (move_ == Move::kUp ? 1 : 0);
  return task_.c_word + matrix * half_words + token_ * act_words_ + word_;
}

void NdpDrain::step(Cycle now, NdpBufferPorts& ports, bool out_ready, NdpCycleOutputs& out) {
  ended_ = false;
  switch (move_) {
    case Move::kNone:
      if (full_ != 0 && !held_) move_ = Move::kBegin;
      break;
    case Move::kBegin:
      if (token_ == 0) y_token_ = y_pass_;
      word_ = 0;
      move_ = storing_ ? Move::kRead : Move::kGate;
      break;
    case Move::kGate:
    case Move::kUp:
      if (!ports.take(buffer_word()) || ++word_ != act_words_) break;
      word_ = 0;
      move_ = move_ == Move::kGate && task_.op == NdpOp::kGated ? Move::kUp : Move::kGo;
      break;
    case Move::kGo:
      // The unit starts in the next cycle.
      events_->add(NdpEvent::kActBatchStart, static_cast<std::int64_t>(now) + 2);
      events_->add(NdpEvent::kActBusy, static_cast<std::int64_t>(now) + 2,
                   act_latency(task_.act.func) + 1);
      act_done_ = now + 1 + act_latency(task_.act.func);
      move_ = Move::kCompute;
      break;
    case Move::kCompute:
      if (now == act_done_) move_ = Move::kWrite;
      break;
    case Move::kWrite:
      if (ports.take(buffer_word()) && ++word_ == chunk_words()) token_done();
      break;
    case Move::kRead:
      if (ports.take(buffer_word())) move_ = Move::kTake;
      break;
    case Move::kTake: {
      const std::uint32_t word = first_word_ + word_;
      out.out_valid = true;
      out.out_stream = word & (streams_ - 1);
      out.out_addr = y_token_ + word / streams_;
      move_ = Move::kSend;
      break;
    }
    case Move::kSend:
      if (!out_ready) break;
      events_->add(NdpEvent::kOutputAccepted, static_cast<std::int64_t>(now) + 1);
      out.out_valid = false;
      move_ = Move::kRead;
      if (++word_ == chunk_words()) token_done();
      break;
  }
}

void NdpDrain::token_done() {
  move_ = Move::kNone;
  const std::uint32_t pass = std::min(tokens_left_, task_.pass_tokens);
  if (++token_ != pass) {
    y_token_ += task_.y_stride;
    return;
  }
  token_ = 0;
  half_ = !half_;
  --full_;
  --undrained_;
  if (rows_left_ > act_lanes_) {
    rows_left_ -= act_lanes_;
    words_left_ -= act_words_;
    first_word_ += act_words_;
    return;
  }
  if (!storing_) {
    begin_matrix(true);
    return;
  }
  tokens_left_ -= pass;
  ended_ = tokens_left_ == 0;
  y_pass_ = y_token_ + task_.y_stride;
  begin_matrix(task_.op == NdpOp::kLinear);
}

void NdpDrain::begin_matrix(bool storing) {
  storing_ = storing;
  rows_left_ = storing ? task_.out_rows : task_.mid_rows;
  words_left_ = storing ? words_of(task_.out_rows) : task_.mid_blocks * burst_block_;
  first_word_ = 0;
}

NdpDrain::Cycle NdpDrain::next_move(Cycle soon, const NdpBufferPorts& ports) const {
  switch (move_) {
    case Move::kNone:
      return full_ != 0 && !held_ ? soon : kNever;
    case Move::kBegin:
    case Move::kGo:
    case Move::kTake:
      return soon;
    case Move::kGate:
    case Move::kUp:
    case Move::kWrite:
    case Move::kRead:
      return ports.free(buffer_word(), soon);
    case Move::kCompute:
      return act_done_;
    case Move::kSend:
      return kNever;
  }
  return kNever;
}

}  // namespace neardata::unit
