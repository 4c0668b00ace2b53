// SPDX-License-Identifier: Apache-2.0
//
// The state of a released rank, for the next controller of its banks.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/types.h"

namespace neardata::dram {

/// The refresh account of a rank. It is transferred with the rank, so that one controller at a time
/// has it.
struct RefreshAccount {
  Cycle due = kNever;      ///< of the next refresh; in the past if the rank was between owners then
  std::uint32_t bank = 0;  ///< the next one, for refreshes of single banks
};

/// The first cycles in which others may issue a command. nRP from a PREA to an ACT is a cycle
/// shorter, as an ACT occupies the bus for two cycles.
struct HandedRank {
  Cycle activate;
  Cycle refresh;
  RefreshAccount account;
  /// Activations by bank of the rank, for refresh management; empty if they are not counted.
  std::vector<std::uint32_t> activations;
};

}  // namespace neardata::dram
