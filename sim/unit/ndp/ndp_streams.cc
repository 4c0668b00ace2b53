// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_streams.h"

#include <algorithm>

namespace neardata::unit {

NdpStreams::NdpStreams(const NdpParameters& p)
    : streams_(p.streams),
      burst_block_(bursts_per_block(p)),
      block_shift_(static_cast<std::uint32_t>(std::countr_zero(burst_block_))),
      queue_(p.queue_bursts),
      slots_(burst_block_),
      arrived_(std::size_t{streams_} * queue_ / burst_block_) {}

// ---- stream_fetch

void NdpStreams::begin(const NdpTask& task) {
  task_ = task;
  slots_ = burst_block_ >> burst_lanes_shift(task_.weights);
  last_place_ = kScaledBlocks * slots_;
  place_ = {};
  for (std::uint32_t s = 0; s < streams_; ++s) {
    active_[s] = 1;
    fetch_[s].x_row = task_.x_base;
    fetch_[s].tokens_left = task_.tokens;
    begin_pass(s);
  }
  update_able();
}

void NdpStreams::step(std::uint32_t streams, std::uint32_t taken, NdpCycleOutputs& out) {
  const std::uint32_t made = streams & able_;
  const std::uint32_t tag_mask = queue_ - 1;
  out.req_valid = (out.req_valid & ~taken) | made;
  // Without branches and on copies, so that the streams move as one vector.
  PerStream one;
  PerStream ended;
  PerStream addr = addr_;
  PerStream slot = next_slot_;
  PerStream left = left_;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) one[s] = made >> s & 1U;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    const std::uint32_t keep = one[s] - 1U;  // all ones where nothing is made
    out.req_addr[s] = (out.req_addr[s] & keep) | (addr[s] & ~keep);
    out.req_tag[s] = (out.req_tag[s] & keep) | (slot[s] & tag_mask & ~keep);
    addr[s] += one[s];
    slot[s] += one[s];
    left[s] -= one[s];
    ended[s] = (left[s] == 0 ? one[s] : 0U) << s;
  }
  addr_ = addr;
  next_slot_ = slot;
  left_ = left;
  if (task_.low_bit()) step_places(made);
  std::uint32_t rest = 0;
  for (const std::uint32_t bit : ended) rest |= bit;
  for (; rest != 0; rest &= rest - 1) begin_run(static_cast<std::uint32_t>(std::countr_zero(rest)));
  update_able();
}

/// A burst of scales takes as many slots as a block.
void NdpStreams::step_places(std::uint32_t made) {
  for (std::uint32_t rest = made; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
    if (fetch_[s].run == Run::kX) continue;
    if (place_[s] == 0) next_slot_[s] += slots_ - 1;
    place_[s] = left_[s] == 0 || place_[s] == last_place_ ? 0 : place_[s] + 1;
  }
}

void NdpStreams::update_able() {
  std::uint32_t able = 0;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    able |= (next_slot_[s] - head_[s] < queue_ ? active_[s] : 0U) << s;
  }
  able_ = able;
}

std::uint32_t NdpStreams::groups(std::uint32_t rows) const {
  return rows / streams_ + (rows % streams_ != 0 ? 1 : 0);
}

std::uint32_t NdpStreams::x_share(std::uint32_t s) const {
  return (words(task_.in_blocks) + streams_ - 1 - s) / streams_;
}

void NdpStreams::begin_pass(std::uint32_t s) {
  Fetch& f = fetch_[s];
  f.pass_left = std::min(task_.pass_tokens, f.tokens_left);
  f.run = Run::kX;
  addr_[s] = f.x_row;
  left_[s] = x_share(s);
  if (left_[s] == 0) begin_weights(s);
}

void NdpStreams::begin_weights(std::uint32_t s) {
  next_slot_[s] = (next_slot_[s] + burst_block_ - 1) & ~(burst_block_ - 1);
  if (task_.op == NdpOp::kLinear) {
    begin_down(s);
    return;
  }
  const bool gated = task_.op == NdpOp::kGated;
  Fetch& f = fetch_[s];
  f.run = gated ? Run::kGate : Run::kUp;
  f.row_offset = 0;
  f.rows_left = groups(task_.mid_rows);
  addr_[s] = gated ? task_.gate_base : task_.up_base;
  left_[s] = task_.row_bursts(false, burst_block_);
}

void NdpStreams::begin_down(std::uint32_t s) {
  Fetch& f = fetch_[s];
  f.run = Run::kDown;
  f.row_offset = 0;
  f.rows_left = groups(task_.out_rows);
  addr_[s] = task_.down_base;
  left_[s] = task_.row_bursts(true, burst_block_);
}

void NdpStreams::begin_row(std::uint32_t s) {
  Fetch& f = fetch_[s];
  --f.rows_left;
  if (f.run == Run::kDown) {
    f.row_offset += task_.down_stride;
    addr_[s] = task_.down_base + f.row_offset;
    left_[s] = task_.row_bursts(true, burst_block_);
    return;
  }
  const bool gated = task_.op == NdpOp::kGated;
  f.run = gated ? Run::kGate : Run::kUp;
  f.row_offset += task_.gu_stride;
  addr_[s] = (gated ? task_.gate_base : task_.up_base) + f.row_offset;
  left_[s] = task_.row_bursts(false, burst_block_);
}

void NdpStreams::begin_run(std::uint32_t s) {
  Fetch& f = fetch_[s];
  switch (f.run) {
    case Run::kX:
      f.x_row += task_.x_stride;
      addr_[s] = f.x_row;
      left_[s] = x_share(s);
      if (--f.pass_left == 0) begin_weights(s);
      break;
    case Run::kGate:
      f.run = Run::kUp;
      addr_[s] = task_.up_base + f.row_offset;
      left_[s] = task_.row_bursts(false, burst_block_);
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
      f.tokens_left -= std::min(task_.pass_tokens, f.tokens_left);
      if (f.tokens_left == 0) {
        active_[s] = 0;
      } else {
        begin_pass(s);
      }
      break;
  }
}

// ---- burst_queue

void NdpStreams::respond(const NdpCycleInputs& in) {
  // Bytes may alias anything, so what the loop needs is held in locals.
  std::uint8_t* const arrived = arrived_.data();
  const std::uint32_t queue = queue_, shift = block_shift_;
  const std::uint8_t complete = block_bits(0);
  bool news = task_.low_bit();
  for (std::uint32_t rest = in.rsp_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t slot = s * queue + in.rsp_tag[s];
    std::uint8_t& block = arrived[slot >> shift];
    block |= static_cast<std::uint8_t>(1U << (slot & ((1U << shift) - 1)));
    news |= block == complete;
  }
  if (news) count_ready_blocks();
}

void NdpStreams::count_ready_blocks() {
  ready_blocks_ = 0;
  for (std::uint32_t s = 0; s < streams_; ++s) {
    const std::uint8_t bits = block_bits(head_[s]);
    ready_blocks_ += (arrived_[head_block(s)] & bits) == bits ? 1U : 0U;
  }
  if (!task_.low_bit()) return;
  ready_heads_ = 0;
  for (std::uint32_t s = 0; s < streams_; ++s) ready_heads_ += x_present(s) ? 1U : 0U;
}

void NdpStreams::pop_x(std::uint32_t s) {
  const std::uint32_t bit = head_[s] & (burst_block_ - 1);
  arrived_[head_block(s)] &= static_cast<std::uint8_t>(~(1U << bit));
  ++head_[s];
  update_able();
}

void NdpStreams::free_block() {
  for (std::uint32_t s = 0; s < streams_; ++s) {
    arrived_[head_block(s)] &= static_cast<std::uint8_t>(~block_bits(head_[s]));
    head_[s] += slots_;
  }
  count_ready_blocks();
  update_able();
}

void NdpStreams::align() {
  for (std::uint32_t& head : head_) head = (head + burst_block_ - 1) & ~(burst_block_ - 1);
  count_ready_blocks();
  update_able();
}

}  // namespace neardata::unit
