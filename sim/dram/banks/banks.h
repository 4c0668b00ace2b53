// SPDX-License-Identifier: Apache-2.0
//
// Which row is open in each bank. Refreshing counts as closed: an activation waits for the refresh
// anyway. Between the two commands of an activation a bank counts as open, but it has no open row.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/organization.h"

namespace neardata::dram {

class Banks {
 public:
  explicit Banks(const Organization& organization)
      : banks_per_group_(organization.banks_per_group),
        banks_per_rank_(organization.banks_per_rank()),
        rows_(organization.banks_per_channel(), kClosed),
        open_in_rank_(organization.ranks, 0) {}

  [[nodiscard]] bool is_open(BankIndex bank) const { return rows_[bank] != kClosed; }
  [[nodiscard]] bool has_open(BankIndex bank, std::uint32_t row) const {
    return rows_[bank] == row;
  }
  [[nodiscard]] bool any_open(std::uint32_t rank) const { return open_in_rank_[rank] != 0; }

  [[nodiscard]] bool is_activating(BankIndex bank) const { return rows_[bank] == kActivating; }
  void start_open(BankIndex bank) { open(bank, kActivating); }
  void open(BankIndex bank, std::uint32_t row) {
    if (!is_open(bank)) ++open_in_rank_[bank / banks_per_rank_];
    rows_[bank] = row;
  }
  void close(BankIndex bank) {
    if (!is_open(bank)) return;
    rows_[bank] = kClosed;
    --open_in_rank_[bank / banks_per_rank_];
  }

  /// The banks of a rank in index order, those of the bank group of one, and those with one number
  /// in every bank group of a rank.
  template <typename Visit>
  void each_of_rank(std::uint32_t rank, Visit visit) const {
    const std::uint32_t first = rank * banks_per_rank_;
    for (std::uint32_t b = 0; b < banks_per_rank_; ++b) visit(static_cast<BankIndex>(first + b));
  }
  template <typename Visit>
  void each_of_group(BankIndex bank, Visit visit) const {
    const std::uint32_t first = bank & ~(banks_per_group_ - 1);
    for (std::uint32_t b = 0; b < banks_per_group_; ++b) visit(static_cast<BankIndex>(first + b));
  }
  template <typename Visit>
  void each_same(std::uint32_t rank, std::uint32_t bank, Visit visit) const {
    const std::uint32_t first = rank * banks_per_rank_ + bank;
    for (std::uint32_t b = 0; b < banks_per_rank_; b += banks_per_group_) {
      visit(static_cast<BankIndex>(first + b));
    }
  }
  /// Visits the banks that a command addresses. `bank` is a bank of the rank; for a command to one
  /// bank of every group, the bank of the first group.
  template <typename Visit>
  void each_addressed(Reach reach, std::uint32_t rank, std::uint32_t bank, Visit visit) const {
    switch (reach) {
      case Reach::kBank:
        visit(index(rank, bank));
        break;
      case Reach::kSameBank:
        each_same(rank, bank, visit);
        break;
      case Reach::kRank:
        each_of_rank(rank, visit);
        break;
    }
  }
  [[nodiscard]] BankIndex index(std::uint32_t rank, std::uint32_t bank) const {
    return static_cast<BankIndex>(rank * banks_per_rank_ + bank);
  }
  [[nodiscard]] std::uint32_t in_rank(BankIndex bank) const { return bank % banks_per_rank_; }

 private:
  /// A row number has fewer than 32 bits (`validate`), so no row has one of these values.
  static constexpr std::uint32_t kClosed = 0xFFFF'FFFF;
  static constexpr std::uint32_t kActivating = 0xFFFF'FFFE;

  std::uint32_t banks_per_group_;
  std::uint32_t banks_per_rank_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> open_in_rank_;
};

}  // namespace neardata::dram
