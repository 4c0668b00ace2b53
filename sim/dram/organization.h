// SPDX-License-Identifier: Apache-2.0
//
// The organization of a channel. All counts except that of the rows are powers of two. A rank is
// the
// set of banks that one command precharges or refreshes: a rank of a DIMM, a pseudo-channel, or a
// channel that is not divided. Its logical ranks are the dies of a stack.
#pragma once

#include <cstdint>

#include "dram/types.h"

namespace neardata::dram {

struct Organization {
  std::uint32_t channels = 1;
  std::uint32_t ranks = 1;
  std::uint32_t bank_groups = 8;
  std::uint32_t banks_per_group = 4;
  std::uint32_t rows = 65536;
  std::uint32_t columns_per_row = 128;  ///< whole accesses per row
  std::uint32_t channel_bits = 32;
  std::uint32_t burst_length = 16;
  std::uint32_t logical_ranks = 1;         ///< of a rank
  bool ranks_are_pseudo_channels = false;  ///< in command traces, which name them otherwise
  bool channel_is_lowest = false;          ///< its bits of an address, for every mapping

  [[nodiscard]] constexpr std::uint32_t banks_per_rank() const {
    return logical_ranks * bank_groups * banks_per_group;
  }
  [[nodiscard]] constexpr std::uint32_t banks_per_channel() const {
    return ranks * banks_per_rank();
  }
  /// A bank counted through the channel: rank major, then logical rank, bank group and bank.
  [[nodiscard]] constexpr std::uint32_t bank_of(const Location& where) const {
    const std::uint32_t logical = where.rank * logical_ranks + where.logical_rank;
    return (logical * bank_groups + where.bank_group) * banks_per_group + where.bank;
  }
  /// The location of a bank; row and column are 0.
  [[nodiscard]] constexpr Location location_of(std::uint32_t bank) const {
    const std::uint32_t group = bank / banks_per_group;
    const std::uint32_t logical = group / bank_groups;
    return {.rank = logical / logical_ranks,
            .bank_group = group % bank_groups,
            .bank = bank % banks_per_group,
            .logical_rank = logical % logical_ranks};
  }
  [[nodiscard]] constexpr std::uint32_t access_bytes() const {
    return burst_length * channel_bits / 8;
  }
  [[nodiscard]] constexpr std::uint64_t channel_bytes() const {
    return std::uint64_t{banks_per_channel()} * rows * columns_per_row * access_bytes();
  }
  [[nodiscard]] constexpr std::uint64_t total_bytes() const { return channels * channel_bytes(); }
};

}  // namespace neardata::dram
