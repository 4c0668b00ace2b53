// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/maintenance.h"

#include <algorithm>

namespace neardata::dram {

void Maintenance::push(const MaintenanceOp& op) {
  if (in_order_) {
    ops_.push_back({op});
    return;
  }
  if (op.kind == MaintenanceOp::Kind::kClose) {
    const BankIndex bank = banks_->index(op.rank, op.bank);
    if ((held_[bank] & kToBeClosed) != 0) return;
    hold(bank, kToBeClosed, true);
    closes_.push_back(bank);
    return;
  }
  const bool first =
      std::ranges::none_of(ops_, [&](const Entry& before) { return waits_for(op, before); });
  ops_.push_back({op, first});
  if (op.kind == MaintenanceOp::Kind::kManage) hold_banks_of(op, true, kToBeManaged);
  if (first) hold_banks_of(op, true);
}

bool Maintenance::waits_for(const MaintenanceOp& later, const Entry& before) const {
  if (before.what.rank != later.rank) return false;
  const bool single = later.reach == Reach::kBank && before.what.reach == Reach::kBank;
  return !single || before.over == kNever || before.what.bank == later.bank;
}

void Maintenance::sent(std::size_t i, Cycle over) {
  if (in_order_ || ops_[i].what.kind == MaintenanceOp::Kind::kLeaveRank) {
    remove(i);
    return;
  }
  if (ops_[i].what.kind == MaintenanceOp::Kind::kManage) {
    hold_banks_of(ops_[i].what, false, kToBeManaged);
  }
  ops_[i].over = over;
  next_over_ = std::min(next_over_, over);
  if (ops_[i].what.reach == Reach::kBank) let_next_go(ops_[i].what.rank);
}

void Maintenance::closed(BankIndex bank) {
  if ((held_[bank] & kToBeClosed) == 0) return;
  hold(bank, kToBeClosed, false);
  closes_.erase(std::ranges::find(closes_, bank));
}

void Maintenance::end_refreshes(Cycle now) {
  for (std::size_t i = ops_.size(); i > 0; --i) {
    if (ops_[i - 1].over <= now) remove(i - 1);
  }
  next_over_ = kNever;
  for (const Entry& op : ops_) next_over_ = std::min(next_over_, op.over);
}

void Maintenance::remove(std::size_t i) {
  const MaintenanceOp over = ops_[i].what;
  ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(i));
  if (in_order_) return;
  hold_banks_of(over, false);
  let_next_go(over.rank);
}

/// The next operation of a rank may issue if it does not wait for an earlier one.
void Maintenance::let_next_go(std::uint32_t rank) {
  const auto next = std::ranges::find_if(
      ops_, [&](const Entry& op) { return op.what.rank == rank && !op.first; });
  if (next == ops_.end()) return;
  const bool waits = std::any_of(
      ops_.begin(), next, [&](const Entry& before) { return waits_for(next->what, before); });
  if (waits) return;
  next->first = true;
  hold_banks_of(next->what, true);
}

void Maintenance::hold_banks_of(const MaintenanceOp& op, bool hold, std::uint8_t why) {
  const auto visit = [&](BankIndex bank) { this->hold(bank, why, hold); };
  banks_->each_addressed(op.reach, op.rank, op.bank, visit);
}

void Maintenance::hold(BankIndex bank, std::uint8_t why, bool hold) {
  const bool before = held_[bank] != 0;
  held_[bank] = static_cast<std::uint8_t>(hold ? held_[bank] | why : held_[bank] & ~why);
  const bool after = held_[bank] != 0;
  if (after && !before) ++held_banks_;
  if (before && !after) --held_banks_;
  if (before != after) changed_holds_.push_back(bank);
}

}  // namespace neardata::dram
