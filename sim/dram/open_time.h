// SPDX-License-Identifier: Apache-2.0
//
// How long banks have a row open: the standby current of a device rises with its open banks, so the
// energy of a channel needs this time beside the counts of its commands. A bank is open from its
// activation to the command that closes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dram/organization.h"
#include "dram/sink.h"

namespace neardata::dram {

class OpenTime {
 public:
  explicit OpenTime(const Organization& organization)
      : organization_(organization), open_(organization.banks_per_channel(), false) {}

  /// Commands must be in ascending order of their cycles.
  void command(const IssuedCommand& issued) {
    const Location& at = issued.where;
    const auto [action, reach, closes] = issued.effect;
    if (issued.effect.accesses() && !closes) return;
    if (action == Action::kStartOpen || issued.effect.synchronises()) return;
    const bool open = action == Action::kOpen;
    const std::uint32_t banks = organization_.banks_per_rank();
    switch (reach) {
      case Reach::kBank:
        set(issued.cycle, organization_.bank_of(at), open);
        break;
      case Reach::kSameBank:
        for (std::uint32_t b = at.bank; b < banks; b += organization_.banks_per_group) {
          set(issued.cycle, at.rank * banks + b, open);
        }
        break;
      case Reach::kRank:
        for (std::uint32_t b = 0; b < banks; ++b) set(issued.cycle, at.rank * banks + b, open);
        break;
    }
  }

  /// Bank-cycles up to cycle `end`, which is not before the last command: a run may end while banks
  /// are open.
  [[nodiscard]] std::uint64_t until(Cycle end) const {
    const Cycle last = std::max(end, last_);
    return sum_ + static_cast<std::uint64_t>((last - last_).value) * open_banks_;
  }

 private:
  void set(Cycle when, std::size_t bank, bool open) {
    if (open_[bank] == open) return;
    sum_ = until(when);
    last_ = std::max(last_, when);
    open_[bank] = open;
    open ? ++open_banks_ : --open_banks_;
  }

  Organization organization_;
  std::vector<bool> open_;
  std::uint64_t open_banks_ = 0;
  std::uint64_t sum_ = 0;
  Cycle last_;
};

}  // namespace neardata::dram
