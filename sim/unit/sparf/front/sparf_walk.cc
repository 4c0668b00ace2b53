// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_walk.h"

#include <bit>

namespace neardata::unit {

namespace {

// States of sparf_dim_walker between the begin of a block, or an accepted item, and the next item;
// a group needs one more cycle.
constexpr SparfTime kBlockToItem = 4;
constexpr SparfTime kItemToItem = 2;
// States of sparf_token_walker: a range is planned, counted, offered; a selection is fetched,
// awaited, consumed, split.
constexpr SparfTime kBeginToRange = 2;
constexpr SparfTime kRangeToRange = 3;
constexpr SparfTime kFetchToSplit = 3;

constexpr std::uint32_t kChunkRows = 8;

std::uint32_t low_mask(std::uint32_t bits) { return (1U << bits) - 1U; }

}  // namespace

void SparfDimWalker::start(SparfTime begin, const SparfContext& head, std::uint32_t slot) {
  head_ = &head;
  token_ = 0;
  block_index_ = 0;
  item_ = {};
  item_.flash = true;
  item_.kind = PageKind::kDimKeys;
  item_.page.split = true;
  item_.page.beats = static_cast<std::int64_t>(head.task.page_bytes / kBeatBytes);
  item_.page.row_beats = (1U << head.log_block) / kValuesPerBeat;
  item_.job = {.column = true, .slot = slot};
  block(begin);
}

void SparfDimWalker::block(SparfTime begin) {
  const std::uint32_t left = head_->task.dim_flash - token_;
  used_ = std::min(left, 1U << head_->log_block);
  item_.page.used_beats = (used_ + kValuesPerBeat - 1) / kValuesPerBeat;
  item_.job.count = used_;
  item_.job.last = left == used_ && head_->task.dim_flash == head_->task.tokens;
  group_ = 0;
  since_ = begin + kBlockToItem + head_->groups[0].group;
  offer();
}

void SparfDimWalker::offer() {
  const SparfDimGroup& group = head_->groups[group_];
  const std::uint32_t row_lines = (used_ + kValuesPerLine - 1) / kValuesPerLine;
  item_.index = block_index_ + group.group;
  item_.page.rows = SparfRows(group.mask, 0);
  item_.lines = static_cast<std::uint32_t>(std::popcount(group.mask)) * row_lines;
  item_.ends = group_ + 1 == head_->groups.size();
}

SparfWalk SparfDimWalker::accepted(SparfTime now) {
  if (!item_.ends) {
    const std::uint32_t from = head_->groups[group_].group;
    ++group_;
    since_ = now + kItemToItem + (head_->groups[group_].group - from);
    offer();
    return SparfWalk::kItem;
  }
  token_ += used_;
  block_index_ += width_ >> head_->log_dims;
  if (token_ == head_->task.dim_flash) {
    since_ = now + 1;
    return SparfWalk::kIdle;
  }
  block(now + 1);
  return SparfWalk::kItem;
}

SparfTokenWalker::SparfTokenWalker(std::uint32_t width, PageKind kind,
                                   std::deque<SparfSelection>& selections)
    : width_(width),
      chunk_rows_(width >= kValuesPerLine ? kChunkRows : 1),
      log_row_lines_(static_cast<std::uint32_t>(std::countr_zero(row_lines(width)))),
      kind_(kind),
      selections_(selections) {}

std::uint32_t SparfTokenWalker::ring_lines(std::uint32_t rows) const {
  return (rows * width_ + kValuesPerLine - 1) / kValuesPerLine;
}

SparfWalk SparfTokenWalker::start(SparfTime begin, const Walk& walk) {
  walk_ = walk;
  item_ = {};
  item_.ends = true;
  item_.kind = kind_;
  item_.page.beats = std::int64_t{1} << walk.log_rows;
  item_.page.beats *= width_ / kValuesPerBeat;
  item_.page.row_beats = item_.page.used_beats = width_ / kValuesPerBeat;
  item_.job = {.second = walk.second, .slot = walk.slot};
  token_ = walk.first;
  if (!walk.select) return range(begin + kBeginToRange);
  left_ = walk.take;
  open_ = false;
  rows_ = {};
  count_ = 0;
  state_ = State::kFetch;
  since_ = begin;
  return select();
}

SparfWalk SparfTokenWalker::range(SparfTime since) {
  since_ = since;
  item_.flash = token_ < walk_.flash_end;
  const std::uint32_t left = (item_.flash ? walk_.flash_end : walk_.end) - token_;
  count_ = std::min(left, item_.flash ? 1U << walk_.log_rows : chunk_rows_);
  item_.index = item_.flash ? token_ >> walk_.log_rows : token_;
  item_.line = walk_.dram_line + ((token_ - walk_.dram_first) << log_row_lines_);
  item_.lines = ring_lines(count_);
  item_.page.rows = SparfRows::all(item_.flash ? count_ : 0);
  item_.job.count = count_;
  item_.job.last = token_ + count_ == walk_.end;
  return SparfWalk::kItem;
}

SparfWalk SparfTokenWalker::accepted(SparfTime now) {
  if (!walk_.select) {
    token_ += count_;
    if (!item_.job.last) return range(now + kRangeToRange);
    since_ = now + 1;
    return SparfWalk::kIdle;
  }
  since_ = now + 1;
  if (state_ == State::kPage) {
    open_ = false;
    rows_ = {};
    count_ = 0;
    state_ = State::kPiece;
  } else {
    --left_;
    piece_ &= ~1U;
    state_ = State::kRow;
  }
  return select();
}

SparfWalk SparfTokenWalker::resume() { return select(); }

/// From `state_` at `since_` to the next item, a wait for a selection, or the end.
SparfWalk SparfTokenWalker::select() {
  while (true) {
    switch (state_) {
      case State::kFetch: {
        if (selections_.empty()) return SparfWalk::kWaits;
        const SparfSelection selection = selections_.front();
        selections_.pop_front();
        since_ = std::max(since_, selection.since) + kFetchToSplit;
        beat_ = selection.mask;
        token_ = selection.beat * kSelectionTokens;
        state_ = State::kSplit;
        break;
      }
      case State::kSplit:
        split();
        state_ = State::kPiece;
        ++since_;
        break;
      case State::kPiece: {
        const auto next = piece();
        ++since_;
        if (!next) return SparfWalk::kIdle;
        state_ = *next;
        break;
      }
      case State::kPage:
        offer_page();
        return SparfWalk::kItem;
      case State::kRow:
        if ((piece_ & 1U) != 0) {
          state_ = State::kRowItem;
        } else if (piece_ == 0) {
          state_ = State::kPiece;
        } else {
          piece_ >>= 1U;
          below_ >>= 1U;
          ++offset_;
        }
        ++since_;
        break;
      case State::kRowItem:
        offer_row();
        return SparfWalk::kItem;
    }
  }
}

/// Removes from the beat the tokens of one page.
void SparfTokenWalker::split() {
  const std::uint32_t rows = std::min(1U << walk_.log_rows, kSelectionTokens);
  piece_ = beat_ & low_mask(rows);
  beat_ >>= rows;
  const std::uint32_t below =
      token_ >= walk_.flash_end ? 0 : std::min(walk_.flash_end - token_, kSelectionTokens);
  below_ = low_mask(below);
}

std::optional<SparfTokenWalker::State> SparfTokenWalker::piece() {
  const std::uint32_t on_flash = piece_ & below_;
  const std::uint32_t in_dram = piece_ & ~below_;
  const std::uint32_t group = token_ >> walk_.log_rows;
  const bool same = group == group_;
  offset_ = token_ - walk_.dram_first;
  if (open_ && ((on_flash != 0 && !same) || (on_flash == 0 && in_dram != 0) ||
                (piece_ == 0 && left_ == 0))) {
    return State::kPage;
  }
  if (on_flash != 0) {
    open_ = true;
    group_ = group;
    rows_.add(on_flash, token_ & low_mask(walk_.log_rows));
    const auto tokens = static_cast<std::uint32_t>(std::popcount(on_flash));
    count_ += tokens;
    left_ -= tokens;
    piece_ = in_dram;
    return State::kPiece;
  }
  if (in_dram != 0) return State::kRow;
  if (walk_.log_rows < std::bit_width(kSelectionTokens) - 1U) token_ += 1U << walk_.log_rows;
  if (left_ == 0) return std::nullopt;
  return beat_ != 0 ? State::kSplit : State::kFetch;
}

void SparfTokenWalker::offer_page() {
  item_.flash = true;
  item_.index = group_;
  item_.lines = ring_lines(count_);
  item_.page.rows = rows_;
  item_.job.count = count_;
  item_.job.last = left_ == 0;
}

void SparfTokenWalker::offer_row() {
  item_.flash = false;
  item_.index = walk_.dram_first + offset_;
  item_.line = walk_.dram_line + (offset_ << log_row_lines_);
  item_.lines = ring_lines(1);
  item_.job.count = 1;
  item_.job.last = left_ == 1;
}

}  // namespace neardata::unit
