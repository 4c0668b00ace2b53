// SPDX-License-Identifier: Apache-2.0
//
// The fetches of a front and their order, as in `sparf_key_tasks` and `sparf_value_tasks`:
// the steps of heads, their walkers, and the items that the walkers offer to the page rings.
#include <algorithm>

#include "unit/sparf/front/sparf_front.h"

namespace neardata::unit {

namespace {

// sparf_key_tasks and sparf_value_tasks: a task is begun, its head's context is read, its walker
// starts.
constexpr SparfTime kBeginToWalk = 3;
constexpr SparfTime kBeginToValues = 3;
// From the idle walker of dimensions to the first state of the walker of the rows behind them.
constexpr SparfTime kDimsToRows = 2;

}  // namespace

/// First cycle in which the next head's keys can begin: a ranked head has priority, then a new head
/// with space for its selections.
SparfTime SparfFront::begins() const {
  if (task_ != Task::kIdle) return kSparfNever;
  SparfTime since = kSparfNever;
  const auto& ranked = selections_.of(SparfSelections::kKeys);
  if (!ranked.empty()) since = ranked.front().since;
  return std::max(std::min(since, new_from()), keys_idle_since_);
}

/// From when on a new head may begin.
SparfTime SparfFront::new_from() const {
  if (fresh_.empty()) return kSparfNever;
  const SparfContext& head = loader_.context(fresh_.front().slot);
  const SparfTime room = head.dense ? 0 : selections_.room_from(head.sel_beats);
  return std::max(fresh_.front().since, room);
}

void SparfFront::begin_keys(SparfTime now) {
  const auto& ranked = selections_.of(SparfSelections::kKeys);
  // With several query sets, a new head that may begin has priority after a step 2.
  const bool new_first = parameters_.query_sets > 1 && second_ && new_from() <= now;
  second_ = !new_first && !ranked.empty() && ranked.front().since <= now;
  if (second_) {
    key_slot_ = ranked_.front();
    ranked_.pop_front();
  } else {
    key_slot_ = fresh_.front().slot;
    fresh_.pop_front();
  }
  const SparfContext& head = loader_.context(key_slot_);
  const bool first = !second_ && !head.dense;
  if (first) {
    selections_.reserve(now, head.sel_beats);
    ranked_.push_back(key_slot_);
  } else {
    value_tasks_.push_back({key_slot_, now + kBeginToValues});
    begin_values();
  }
  const SparfTime begin = now + kBeginToWalk;
  if (first && head.task.dim_flash > 0) {
    task_ = Task::kDims;
    dims_.start(begin, head, key_slot_);
    keys_walked(SparfWalk::kItem);
  } else {
    task_ = Task::kRows;
    keys_walked(keys_.start(begin, rows_of(head, key_slot_)));
  }
}

/// Keys by token: the tail of step 1, or those of a dense head or of step 2.
SparfTokenWalker::Walk SparfFront::rows_of(const SparfContext& head, std::uint32_t slot) const {
  const bool first = !second_ && !head.dense;
  return {.slot = slot,
          .select = second_,
          .second = !first,
          .first = first ? head.task.dim_flash : 0,
          .flash_end = first ? head.task.dim_flash : head.task.token_flash,
          .end = head.task.tokens,
          .take = head.take,
          .log_rows = head.log_rows,
          .dram_line = head.task.k_line,
          .dram_first = head.task.dim_flash};
}

void SparfFront::keys_walked(SparfWalk walk) {
  keys_wait_ = walk == SparfWalk::kWaits;
  keys_offered_ = walk == SparfWalk::kItem;
  if (keys_offered_) return fetch_keys();
  if (keys_wait_) return;
  const SparfContext& head = loader_.context(key_slot_);
  if (task_ == Task::kDims && head.task.dim_flash != head.task.tokens) {
    task_ = Task::kRows;
    return keys_walked(keys_.start(dims_.since() + kDimsToRows, rows_of(head, key_slot_)));
  }
  const SparfTime idle = task_ == Task::kDims ? dims_.since() : keys_.since();
  if (second_) selections_.done(SparfSelections::kKeys, idle);
  task_ = Task::kIdle;
  keys_idle_since_ = idle + 1;
}

void SparfFront::fetch_keys() {
  if (!keys_offered_ || rings_[kKeys].has_item()) return;
  if (task_ == Task::kDims) {
    keys_walked(dims_.accepted(rings_[kKeys].accept(dims_.item(), dims_.since())));
  } else {
    keys_walked(keys_.accepted(rings_[kKeys].accept(keys_.item(), keys_.since())));
  }
}

void SparfFront::begin_values() {
  if (values_busy_ || value_tasks_.empty()) return;
  const auto [slot, since] = value_tasks_.front();
  value_tasks_.pop_front();
  values_busy_ = true;
  value_slot_ = slot;
  const SparfContext& head = loader_.context(slot);
  values_walked(values_.start(std::max(since, values_idle_since_) + kBeginToWalk,
                              {.slot = slot,
                               .select = !head.dense,
                               .second = true,
                               .first = 0,
                               .flash_end = head.task.token_flash,
                               .end = head.task.tokens,
                               .take = head.take,
                               .log_rows = head.log_rows,
                               .dram_line = head.task.v_line,
                               .dram_first = head.task.token_flash}));
}

void SparfFront::values_walked(SparfWalk walk) {
  values_wait_ = walk == SparfWalk::kWaits;
  values_offered_ = walk == SparfWalk::kItem;
  if (values_offered_) return fetch_values();
  if (values_wait_) return;
  if (!loader_.context(value_slot_).dense) {
    selections_.done(SparfSelections::kValues, values_.since());
  }
  values_busy_ = false;
  values_idle_since_ = values_.since() + 1;
  begin_values();
}

void SparfFront::fetch_values() {
  if (!values_offered_ || rings_[kValues].has_item()) return;
  values_walked(values_.accepted(rings_[kValues].accept(values_.item(), values_.since())));
}

void SparfFront::granted(std::size_t ring, SparfTime now) {
  SparfRing& of = rings_[ring];
  pages_[ring][of.number()] = of.item();
  of.grant(now);
  if (ring == kKeys) {
    fetch_keys();
  } else {
    fetch_values();
  }
}

}  // namespace neardata::unit
