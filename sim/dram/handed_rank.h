// SPDX-License-Identifier: Apache-2.0
//
// A rank that a controller has left, for the next one of its banks.
#pragma once

#include <cstdint>

#include "dram/types.h"

namespace neardata::dram {

/// A rank's account of refresh, which goes with the rank: one of its controllers at a time keeps
/// it.
struct RefreshAccount {
  Cycle due = kNever;      ///< of the next refresh; past where the rank lay between two controllers
  std::uint32_t bank = 0;  ///< the next one, where a refresh is not of all
};

/// The first cycles in which others may send a command; nRP from a PREA is a cycle shorter to an
/// ACT, which takes two cycles on the bus.
struct HandedRank {
  Cycle activate;
  Cycle refresh;
  RefreshAccount account;
};

}  // namespace neardata::dram
