// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_append.h"

#include <cstring>

#include "unit/sparf/front/sparf_check.h"

namespace neardata::unit {

namespace {

constexpr SparfTime kTakeToRead = 4;  // derived and checked in between
constexpr SparfTime kReadToRefusal = 1;
constexpr SparfTime kPageTaken = 2;    // is known a cycle later
constexpr SparfTime kWriteToPage = 2;  // looks in between whether something is full

}  // namespace

void SparfAppend::take(SparfTime now, const SparfTask& task) {
  task_ = task;
  field_ = broken_field(parameters_, task);
  non_finite_ = false;
  idle_since_ = kSparfNever;
  if (field_ != SparfField::kNone) {
    done_since_ = now + kTakeToRead + kReadToRefusal;
    return;
  }
  read_since_ = now + kTakeToRead;
  rows_read_ = false;
  place_ = 0;
  values_.clear();
  pages_ = full_pages(task, parameters_.width);
  next_page_ = 0;
}

void SparfAppend::read_taken(SparfTime now) {
  rows_read_ = true;
  read_since_ = kSparfNever;
  take_since_ = now + 1;
}

void SparfAppend::line(SparfTime now, const DramLine& line) {
  take_since_ = kSparfNever;
  write_ = {.data = line};
  if (place_ < 2 * row_lines_) {
    const std::size_t count = std::min<std::size_t>(parameters_.width, kValuesPerLine);
    std::array<Half, kValuesPerLine> values;
    std::memcpy(values.data(), line.data(), sizeof values);
    non_finite_ = non_finite_ || any_non_finite(std::span(values).first(count));
  }
  if (place_ < row_lines_) {
    write_.line = task_.k_line + (task_.tokens - task_.dim_flash) * row_lines_ + place_;
  } else if (place_ < 2 * row_lines_) {
    write_.line =
        task_.v_line + (task_.tokens - task_.token_flash) * row_lines_ + (place_ - row_lines_);
    values_.insert(values_.end(), line.begin(), line.end());
  } else {
    const std::uint32_t sum_line = place_ - 2 * row_lines_;
    write_.line = task_.sum_line + sum_line;
    add(sum_line, write_.data);
  }
  // Lines of sums need one more cycle.
  write_since_ = now + (place_ < 2 * row_lines_ ? 1 : 2);
}

void SparfAppend::add(std::uint32_t sum_line, DramLine& sums) const {
  std::array<std::int64_t, kSumsPerLine> totals;
  std::array<Half, kSumsPerLine> values;
  std::memcpy(totals.data(), sums.data(), sums.size());
  std::memcpy(values.data(), values_.data() + sum_line * sizeof values, sizeof values);
  add_values(values, totals);
  std::memcpy(sums.data(), totals.data(), sums.size());
}

void SparfAppend::written(SparfTime now) {
  write_since_ = kSparfNever;
  if (++place_ < 2 * row_lines_ + (task_.mean ? sum_lines_ : 0)) {
    // The sums are requested once all rows have been consumed.
    (place_ == 2 * row_lines_ ? read_since_ : take_since_) = now + 1;
  } else if (pages_.empty()) {
    done_since_ = now + kWriteToPage;
  } else {
    page_since_ = now + kWriteToPage;
  }
}

void SparfAppend::page_taken(SparfTime now) {
  const bool more = ++next_page_ < pages_.size();
  page_since_ = more ? now + kPageTaken : kSparfNever;
  if (!more) done_since_ = now + kPageTaken;
}

void SparfAppend::done_taken(SparfTime now) {
  done_since_ = kSparfNever;
  idle_since_ = now + 1;
}

}  // namespace neardata::unit
