// SPDX-License-Identifier: Apache-2.0
//
// How many of everything there is. All counts but that of the rows are powers of two.
#pragma once

#include <cstdint>

namespace neardata::dram {

struct Organization {
  std::uint32_t channels = 1;
  std::uint32_t ranks = 1;
  std::uint32_t bank_groups = 8;
  std::uint32_t banks_per_group = 4;
  std::uint32_t rows = 65536;
  std::uint32_t columns_per_row = 128;  ///< whole accesses a row holds
  std::uint32_t channel_bits = 32;
  std::uint32_t burst_length = 16;

  [[nodiscard]] constexpr std::uint32_t banks_per_rank() const {
    return bank_groups * banks_per_group;
  }
  [[nodiscard]] constexpr std::uint32_t banks_per_channel() const {
    return ranks * banks_per_rank();
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
