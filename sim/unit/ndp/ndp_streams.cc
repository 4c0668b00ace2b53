// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_streams.h"

#include <algorithm>

namespace neardata::unit {

NdpStreams::NdpStreams(const NdpParameters& p)
    : streams_(p.streams),
      burst_block_(bursts_per_block(p)),
      block_shift_(static_cast<std::uint32_t>(std::countr_zero(burst_block_))),
      queue_(p.queue_bursts),
      all_((1U << streams_) - 1),
      slots_(burst_block_),
      read_slots_(burst_block_),
      arrived_((queue_ + 7) / 8) {
  std::fill(unused_.begin() + streams_, unused_.end(), UINT32_MAX);
}

// ---- ndp_stream_fetch

void NdpStreams::begin(const NdpTask& task) {
  task_ = task;
  slots_ = burst_block_ >> burst_lanes_shift(task_.weights);
  last_place_ = scaled_blocks(task_.weights) * slots_;
  place_ = {};
  for (std::uint32_t s = 0; s < streams_; ++s) {
    active_[s] = 1;
    fetch_[s].x_row = task_.x_base;
    fetch_[s].tokens_left = task_.tokens;
    begin_pass(s);
  }
  update_able();
}

void NdpStreams::read(const NdpTask& task) {
  read_slots_ = burst_block_ >> burst_lanes_shift(task.weights);
  block_ = slots_of(static_cast<std::uint8_t>(all_), read_slots_);
}

void NdpStreams::step_apart(std::uint32_t made, NdpCycleOutputs& out) {
  catch_up();
  const std::uint32_t tag_mask = queue_ - 1;
  // Without branches and on copies, so that the streams move as one vector.
  PerStream one;
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
  }
  addr_ = addr;
  next_slot_ = slot;
  left_ = left;
  if (task_.low_bit()) step_places(made);
  end_runs(made);
  update_able();
}

void NdpStreams::catch_up() {
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    addr_[s] += ahead_;
    next_slot_[s] += ahead_;
    left_[s] -= ahead_;
  }
  ahead_ = 0;
}

void NdpStreams::end_runs(std::uint32_t made) {
  for (std::uint32_t rest = made; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (left_[s] == 0) begin_run(s);
  }
}

/// A burst of scales occupies as many slots as a block.
void NdpStreams::step_places(std::uint32_t made) {
  for (std::uint32_t rest = made; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
    if (fetch_[s].run == Operand::kX) continue;
    if (place_[s] == 0) next_slot_[s] += slots_ - 1;
    place_[s] = left_[s] == 0 || place_[s] == last_place_ ? 0 : place_[s] + 1;
  }
}

void NdpStreams::update_able() {
  catch_up();
  std::uint32_t able = 0;
  std::uint32_t least_left = UINT32_MAX;
  std::uint32_t least_room = UINT32_MAX;
  std::uint32_t most_room = 0;
  for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
    // The start of a block may skip slots of the queue beyond its capacity.
    const std::uint32_t room = queue_ - std::min(queue_, next_slot_[s] - head_[s]);
    const std::uint32_t one = room != 0 ? active_[s] : 0U;
    able |= one << s;
    // Only requests of all streams are counted, so the values of unused streams do not matter.
    least_left = std::min(least_left, left_[s] | unused_[s]);
    least_room = std::min(least_room, room | unused_[s]);
    most_room = std::max(most_room, room & ~unused_[s]);
  }
  able_ = able;
  const bool plain = able == all_ && !task_.low_bit();
  full_after_ = plain && least_room == most_room && least_left > least_room;
  plain_requests_ = !plain ? 0 : full_after_ ? least_room : std::min(least_left, least_room) - 1;
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
  f.run = Operand::kX;
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
  f.run = gated ? Operand::kGate : Operand::kUp;
  f.row_offset = 0;
  f.rows_left = groups(task_.mid_rows);
  addr_[s] = gated ? task_.gate_base : task_.up_base;
  left_[s] = task_.row_bursts(false, burst_block_);
}

void NdpStreams::begin_down(std::uint32_t s) {
  Fetch& f = fetch_[s];
  f.run = Operand::kDown;
  f.row_offset = 0;
  f.rows_left = groups(task_.out_rows);
  addr_[s] = task_.down_base;
  left_[s] = task_.row_bursts(true, burst_block_);
}

void NdpStreams::begin_row(std::uint32_t s) {
  Fetch& f = fetch_[s];
  --f.rows_left;
  if (f.run == Operand::kDown) {
    f.row_offset += task_.down_stride;
    addr_[s] = task_.down_base + f.row_offset;
    left_[s] = task_.row_bursts(true, burst_block_);
    return;
  }
  const bool gated = task_.op == NdpOp::kGated;
  f.run = gated ? Operand::kGate : Operand::kUp;
  f.row_offset += task_.gu_stride;
  addr_[s] = (gated ? task_.gate_base : task_.up_base) + f.row_offset;
  left_[s] = task_.row_bursts(false, burst_block_);
}

void NdpStreams::begin_run(std::uint32_t s) {
  Fetch& f = fetch_[s];
  switch (f.run) {
    case Operand::kX:
      f.x_row += task_.x_stride;
      addr_[s] = f.x_row;
      left_[s] = x_share(s);
      if (--f.pass_left == 0) begin_weights(s);
      break;
    case Operand::kGate:
      f.run = Operand::kUp;
      addr_[s] = task_.up_base + f.row_offset;
      left_[s] = task_.row_bursts(false, burst_block_);
      break;
    case Operand::kUp:
      if (f.rows_left == 1) {
        begin_down(s);
      } else {
        begin_row(s);
      }
      break;
    case Operand::kDown:
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

// ---- ndp_burst_queue

void NdpStreams::respond_apart(const NdpCycleInputs& in) {
  for (std::uint32_t rest = in.rsp_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t tag = in.rsp_tag[s];
    arrived_[word_of(tag)] |= std::uint64_t{1} << (bit_of(tag) + s);
  }
}

bool NdpStreams::held_apart(std::uint32_t bursts) const {
  for (std::uint32_t s = 0; s < streams_; ++s) {
    const std::uint64_t mine = slots_of(static_cast<std::uint8_t>(1U << s), bursts);
    if ((slots_from(head_[s], bursts) & mine) != mine) return false;
  }
  return true;
}

bool NdpStreams::level() const {
  return std::all_of(head_.begin(), head_.begin() + streams_,
                     [this](std::uint32_t head) { return head == head_[0]; });
}

void NdpStreams::pop_x(std::uint32_t s) {
  arrived_[word_of(head_[s])] &= ~(std::uint64_t{1} << (bit_of(head_[s]) + s));
  ++head_[s];
  level_ = level();
  update_able();
}

void NdpStreams::free_block() {
  if (level_) {
    arrived_[word_of(head_[0])] &= ~(slots_of(0xFF, read_slots_) << bit_of(head_[0]));
  } else {
    for (std::uint32_t s = 0; s < streams_; ++s) {
      const std::uint64_t mine = slots_of(static_cast<std::uint8_t>(1U << s), read_slots_);
      arrived_[word_of(head_[s])] &= ~(mine << bit_of(head_[s]));
    }
  }
  for (std::uint32_t& head : head_) head += read_slots_;
  update_able();
}

void NdpStreams::align() {
  for (std::uint32_t& head : head_) head = (head + burst_block_ - 1) & ~(burst_block_ - 1);
  level_ = level();
  update_able();
}

}  // namespace neardata::unit
