// SPDX-License-Identifier: Apache-2.0
//
// Dependent reads: a chain is a list of steps. A step is a set of pages that are requested together
// when all pages of the previous step have arrived. A fixed number of chains is in flight; when a
// chain ends, the next chain begins at the same tick. Attention heads are chains of two steps
// (SparF) or one (dense); in a closed loop of single reads, each page is a chain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flash/backend.h"

namespace neardata::flash {

/// Steps of all chains, flat: chain c has the steps `first_step[c]` up to `first_step[c + 1]`, step
/// s the pages `first_page[s]` up to `first_page[s + 1]`. Both lists end with the total. The ids of
/// the requests are not used.
struct ChainList {
  std::span<const std::uint32_t> first_step;
  std::span<const std::uint32_t> first_page;
  std::span<const RoutedRequest> pages;
};

/// Whether the lists start at 0, never decrease and end at the size of the list that they divide.
[[nodiscard]] bool well_formed(const ChainList& chains);

struct ChainResult {
  std::vector<Tick> started;      ///< by chain
  std::vector<Tick> finished;     ///< by chain
  std::vector<Completion> pages;  ///< by page
  std::vector<BusUse> bus_use;    ///< by channel
};

/// Runs all chains, `in_flight` (at least 1) at a time, in order. An empty step costs no time.
ChainResult run_chains(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                       const ChainList& chains, std::uint32_t in_flight);

}  // namespace neardata::flash
