// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_loader.h"

#include "unit/sparf/front/sparf_check.h"

namespace neardata::unit {

namespace {

constexpr SparfTime kTakeToFit = 3;  // derived and checked in between
constexpr SparfTime kHeadToRefusal = 1;
constexpr SparfTime kFreeToReady = 2;  // that some slot is free is known a cycle late
constexpr SparfTime kLinesToIdle = 2;  // the last line is counted, then the count is visible

std::uint32_t floor_log2(std::uint32_t value) {
  return value == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(value)) - 1;
}

std::uint32_t beats_of(std::uint32_t tokens) {
  return (tokens + kSelectionTokens - 1) / kSelectionTokens;
}

}  // namespace

SparfLoader::SparfLoader(const SparfParameters& parameters)
    : parameters_(parameters),
      row_lines_(row_lines(parameters.width)),
      sum_lines_(unit::sum_lines(parameters.width)),
      slots_(parameters.slots) {}

SparfTime SparfLoader::takes_from() const {
  SparfTime free = kSparfNever;
  for (const ContextSlot& slot : slots_) {
    if (!slot.used) free = std::min(free, slot.ready_since);
  }
  return std::max(idle_since_, free);
}

void SparfLoader::take(SparfTime now, const SparfTask& task) {
  slot_ = 0;
  while (slots_[slot_].used || slots_[slot_].free_since > now) ++slot_;
  SparfContext& head = slots_[slot_].context;
  const std::uint32_t page_log = floor_log2(task.page_bytes);
  const std::uint32_t log_width = floor_log2(parameters_.width);
  head.task = task;
  field_ = broken_field(parameters_, task);
  head.dense = task.operation == SparfOperation::kDense;
  head.take = std::min(head.task.k, head.task.tokens);
  head.sel_beats = std::min(head.take, beats_of(head.task.tokens));
  head.log_dims = floor_log2(task.dims_per_page);
  head.log_rows = page_log - 1 - log_width;
  head.log_block = page_log - 1 - head.log_dims;
  head.groups.clear();
  idle_since_ = kSparfNever;
  fits_at_ = now + kTakeToFit;
}

void SparfLoader::fit() {
  const SparfTime next = fits_at_ + 1;
  fits_at_ = kSparfNever;
  slots_[slot_].used = true;
  ++heads_;
  if (field_ == SparfField::kNone) {
    head_since_ = next;
  } else {
    refuse_since_ = next + kHeadToRefusal;
  }
}

void SparfLoader::head_taken(SparfTime now) {
  head_since_ = kSparfNever;
  rows_read_ = false;
  read_since_ = now + 1;
  lines_left_ = rows() + (wants_sums() ? sum_lines_ : 0);
}

void SparfLoader::refused(SparfTime now) {
  refuse_since_ = kSparfNever;
  idle_since_ = now + 1;
  free(slot_, now);
}

void SparfLoader::read_taken(SparfTime now) {
  const bool sums = wants_sums() && !rows_read_;
  rows_read_ = true;
  read_since_ = sums ? now + 1 : kSparfNever;
}

void SparfLoader::line_taken(SparfTime now) {
  if (--lines_left_ == 0) idle_since_ = now + kLinesToIdle;
}

void SparfLoader::free(std::uint32_t slot, SparfTime now) {
  slots_[slot].used = false;
  slots_[slot].free_since = now + 1;
  slots_[slot].ready_since = now + kFreeToReady;
  --heads_;
}

}  // namespace neardata::unit
