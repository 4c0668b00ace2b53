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

#include "dram/addressed_banks.h"
#include "dram/organization.h"
#include "dram/sink.h"

namespace neardata::dram {

class OpenTime {
 public:
  explicit OpenTime(const Organization& organization)
      : organization_(organization), open_(organization.banks_per_channel(), false) {}

  /// Commands must be in ascending order of their cycles.
  void command(const IssuedCommand& issued) {
    const Action action = issued.effect.action;
    if (issued.effect.accesses() && !issued.effect.closes) return;
    if (action == Action::kStartOpen || issued.effect.synchronises()) return;
    const bool open = action == Action::kOpen;
    each_addressed(organization_, issued,
                   [&](std::uint32_t bank) { set(issued.cycle, bank, open); });
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
