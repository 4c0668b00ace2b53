// SPDX-License-Identifier: Apache-2.0
//
// The due times of refreshes of ranks, of one bank of every group of a rank, or of single banks.
// Each rank has an account, or all ranks share one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/config.h"
#include "dram/handed_rank.h"
#include "dram/types.h"

namespace neardata::dram {

class RefreshTimer {
 public:
  explicit RefreshTimer(const ControllerConfig& config) {
    if (config.refresh == RefreshKind::kNone) return;
    const std::int64_t ranks =
        config.refresh_order.rank_by_rank ? 1 : std::int64_t{config.organization.ranks};
    banks_of_rank_ = banks_in_turn(config);
    banks_ = config.refresh_order.rank_by_rank ? banks_of_rank_ * config.organization.ranks
                                               : banks_of_rank_;
    interval_ = config.refresh_interval;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const bool together = config.semantics.refresh_all_ranks_at_once;
      const std::int64_t spread = together ? 0 : rank * interval_.value / ranks;
      const auto& spacing = config.refresh_order.spacing;
      const Cycle offset{spacing ? rank * spacing->value : spread};
      due_.push_back({{interval_ + offset - config.refresh_elapsed, 0}, false});
      if (!config.owns_ranks) stop(static_cast<std::uint32_t>(rank));
    }
    find_next();
  }

  /// The next cycle in which a refresh is due.
  [[nodiscard]] Cycle next() const { return next_; }

  /// No refresh of the rank is taken until `resume`; overdue refreshes stay in its account.
  void stop(std::uint32_t rank) {
    if (due_.empty()) return;
    due_[rank].stopped = true;
    find_next();
  }
  /// For the rank's next controller.
  [[nodiscard]] RefreshAccount account(std::uint32_t rank) const {
    return due_.empty() ? RefreshAccount{} : due_[rank].account;
  }
  /// Continues with an account from another controller. Overdue refreshes are taken before time
  /// advances.
  void resume(std::uint32_t rank, const RefreshAccount& account) {
    if (due_.empty()) return;
    due_[rank] = {account, false};
    find_next();
  }

  /// Calls `emit(rank, bank)` for each refresh that is due by `now`, in rank order; `bank` rotates
  /// unless a refresh is of all banks.
  template <typename Emit>
  void take_due(Cycle now, Emit emit) {
    for (std::uint32_t rank = 0; rank < due_.size(); ++rank) {
      RefreshAccount& account = due_[rank].account;
      while (!due_[rank].stopped && account.due <= now) {
        emit(rank + account.bank / banks_of_rank_, account.bank % banks_of_rank_);
        account.due = account.due + interval_;
        account.bank = account.bank + 1 == banks_ ? 0 : account.bank + 1;
      }
    }
    find_next();
  }

 private:
  struct Due {
    RefreshAccount account;
    bool stopped = false;
  };

  void find_next() {
    next_ = kNever;
    for (const Due& due : due_) {
      if (!due.stopped) next_ = std::min(next_, due.account.due);
    }
  }

  std::uint32_t banks_of_rank_ = 1;
  std::uint32_t banks_ = 1;  ///< of an account
  Cycle interval_;
  Cycle next_ = kNever;
  std::vector<Due> due_;
};

}  // namespace neardata::dram
