// SPDX-License-Identifier: Apache-2.0
//
// The sequencer of the cycle model of `dimm_ndp`: it iterates over tokens, blocks, row groups and
// matrices, and determines the start cycle of each slot of the GEMV array and the destination of
// its result.
#include <algorithm>

#include "unit/ndp/ndp_cycle.h"

namespace neardata::unit {
namespace {

/// Groups of rows, a row a stream.
std::uint32_t row_groups(std::uint32_t rows, std::uint32_t streams) {
  return (rows + streams - 1) / streams;
}

}  // namespace

void NdpCycle::begin_load(Cycle from) {
  pass_tokens_ = std::min(tokens_left_, task_.pass_tokens);
  pass_start_ = true;
  enter(Phase::kLoad, from);
}

bool NdpCycle::chunk_ready() const {
  if (token_ != 0 || block_ != 0 || group_ != 0 || up_) return true;
  if (wait_drained_) return drain_.empty();
  if (phase_ == Phase::kDown && row_ == 0 && task_.op != NdpOp::kLinear) return drain_.empty();
  return drain_.has_room();
}

bool NdpCycle::halves_collide() const {
  const std::uint32_t words = drain_.chunk_row_words();
  const bool same = next_.c_word == task_.c_word && next_.pass_tokens == task_.pass_tokens;
  return !same && next_.c_word + 4 * next_.pass_tokens * words > task_.c_word;
}

void NdpCycle::start_slot(Cycle now) {
  const bool down = phase_ == Phase::kDown;
  if (token_ == 0 && block_ == 0 && group_ == 0 && !up_) drain_.claim();
  add_event(NdpEvent::kSlotStart, now);
  if (token_ == 0) add_event(NdpEvent::kNewWeightSlot, now);
  slot_end_ = now + slot_cycles_;
  ports_.read(token_word_, now + 1, now + p_.lanes);
  free_at_ = now + 1 + free_lane_;
  if (token_ == 0) free_wake_ = free_at_;
  scales_ = false;
  wait_drained_ = false;
  array_free_ = now + 2 + gemv_latency_ + 1;

  const bool last_token = token_ == pass_tokens_ - 1;
  const bool last_block = block_ == task_.row_blocks(down) - 1;
  const bool row_done = last_token && last_block && (down || up_ || task_.op != NdpOp::kGated);
  const bool last_row = row_ == row_groups(down ? task_.out_rows : task_.mid_rows, p_.streams) - 1;
  const bool fills_chunk = row_done && (last_row || group_ == chunk_groups_ - 1);
  // Lane 0 is loaded two cycles after the start. The result is in a register from the cycle after
  // its arrival.
  if (last_block) results_.push_back({now + 2 + gemv_latency_ + 1, result_word(), fills_chunk});
  if (fills_chunk) half_ = !half_;

  if (!last_token) {
    ++token_;
    token_word_ += (down ? task_.down_blocks() : task_.in_blocks) * block_bursts_;
    return;
  }
  token_ = 0;
  const bool next_operand = ++repeat_ == (down ? task_.down_repeats : task_.gu_repeats);
  if (next_operand) repeat_ = 0;
  if (!last_block) {
    ++block_;
    if (next_operand) block_word_ += block_bursts_;
    token_word_ = block_word_;
    return;
  }
  block_ = 0;
  block_word_ = down && task_.op != NdpOp::kLinear ? task_.h_word : 0;
  token_word_ = block_word_;
  up_ = !row_done;
  if (!row_done) return;
  group_ = fills_chunk ? 0 : group_ + 1;
  if (!last_row) {
    ++row_;
    return;
  }
  row_ = 0;
  if (!down) {
    block_word_ = task_.h_word;
    token_word_ = block_word_;
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

/// The word of the row group's result: chunk halves contain {half, up, token, row}.
std::uint32_t NdpCycle::result_word() const {
  const std::uint32_t half_words = task_.pass_tokens * drain_.chunk_row_words();
  const std::uint32_t matrix = (half_ ? 2 : 0) + (up_ ? 1 : 0);
  return task_.c_word + matrix * half_words + token_ * drain_.chunk_row_words() +
         group_ * p_.streams / static_cast<std::uint32_t>(kBurstValues);
}

}  // namespace neardata::unit
