// SPDX-License-Identifier: Apache-2.0
//
// Maintenance operations of the channel: refreshes, RFMs, rows that the policy closes, ownership
// transfers of ranks. An operation blocks the requests of its banks from its arrival to the end of
// its refresh or to its last command, and no other requests. Operations of a rank run one after
// another, but a refresh of one bank waits for no other bank that is being refreshed; refreshes of
// different ranks run in any order. A row that another operation has closed is not closed again.
// An RFM that waits for another operation of its rank blocks its banks, too: without an activation
// they stay at the threshold.
//
// With Semantics::refresh_holds_all_banks, operations run in the order of their arrival, and each
// ends with its last command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dram/banks/banks.h"
#include "dram/banks/readiness.h"
#include "dram/config.h"
#include "dram/types.h"

namespace neardata::dram {

struct MaintenanceOp {
  enum class Kind : std::uint8_t { kRefresh, kManage, kClose, kLeaveRank };
  Kind kind = Kind::kRefresh;
  Reach reach = Reach::kRank;
  std::uint32_t rank = 0;
  std::uint32_t bank = 0;  ///< within the rank; of a bank in each group that of the first group
};

class Maintenance {
 public:
  Maintenance(const ControllerConfig& config, const Banks& banks)
      : in_order_(config.semantics.refresh_holds_all_banks),
        banks_(&banks),
        held_(config.organization.banks_per_channel(), 0) {}

  void push(const MaintenanceOp& op);

  /// The operations, and whether one may issue its next command: it does not wait for an earlier
  /// one and its refresh has not issued. Closes are counted only if all operations run in order.
  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  [[nodiscard]] const MaintenanceOp& operator[](std::size_t i) const { return ops_[i].what; }
  [[nodiscard]] bool may_go(std::size_t i) const {
    return in_order_ ? i == 0 : ops_[i].first && ops_[i].over == kNever;
  }
  /// Banks to close, in the order of the policy's requests. Operations of a rank also close some of
  /// them.
  [[nodiscard]] const std::vector<BankIndex>& closes() const { return closes_; }
  [[nodiscard]] bool closes_by_the_way(BankIndex bank) const {
    return (held_[bank] & kByOperation) != 0;
  }

  /// Only the active requests of the channel may issue.
  [[nodiscard]] bool holds_channel() const { return in_order_ && !ops_.empty(); }
  /// Some banks are blocked, and by bank, not 0 if it is: its waiting requests have to wait.
  [[nodiscard]] bool holds_banks() const { return held_banks_ > 0; }
  [[nodiscard]] const std::vector<std::uint8_t>& held() const { return held_; }
  /// Banks that were blocked or released, in the order of the changes, until they are forgotten.
  [[nodiscard]] const std::vector<BankIndex>& changed_holds() const { return changed_holds_; }
  void forget_changed_holds() { changed_holds_.clear(); }

  /// The operation has issued its last command. A refresh blocks its banks until cycle `over`.
  void sent(std::size_t i, Cycle over);
  /// The row of the bank is closed.
  void closed(BankIndex bank);
  /// The next cycle in which a refresh ends; `end_refreshes` removes those that have ended by
  /// `now`.
  [[nodiscard]] Cycle next_over() const { return next_over_; }
  void end_refreshes(Cycle now);

 private:
  struct Entry {
    MaintenanceOp what;
    bool first = true;    ///< the operation waits for none of its rank
    Cycle over = kNever;  ///< end of a refresh in progress
  };
  static constexpr std::uint8_t kByOperation = 1;
  static constexpr std::uint8_t kToBeClosed = 2;
  static constexpr std::uint8_t kToBeManaged = 4;

  void remove(std::size_t i);
  void let_next_go(std::uint32_t rank);
  [[nodiscard]] bool waits_for(const MaintenanceOp& later, const Entry& before) const;
  void hold_banks_of(const MaintenanceOp& op, bool hold, std::uint8_t why = kByOperation);
  void hold(BankIndex bank, std::uint8_t why, bool hold);

  bool in_order_;
  const Banks* banks_;
  std::vector<Entry> ops_;  ///< in the order of their arrival
  std::vector<BankIndex> closes_;
  std::vector<std::uint8_t> held_;
  std::size_t held_banks_ = 0;
  std::vector<BankIndex> changed_holds_;
  Cycle next_over_ = kNever;
};

}  // namespace neardata::dram
