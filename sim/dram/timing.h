// SPDX-License-Identifier: Apache-2.0
//
// Times of a device in cycles. Constraints between commands are rows of their own (constraints.h).
// There are no defaults: the caller must set every value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dram/types.h"

namespace neardata::dram {

struct NamedCycles {
  std::string name;
  Cycle value;
};

struct Timing {
  Cycle burst;    ///< data bus time of one access
  Cycle read;     ///< RD to first data
  Cycle write;    ///< WR to first data
  Cycle refresh;  ///< of one refresh of the configuration's kind
  /// Every timing under the name of its standard: for messages, and for simulators that work
  /// constraints out themselves.
  std::vector<NamedCycles> named;
  /// The average time between refreshes, among the named ones.
  std::size_t interval = 0;

  [[nodiscard]] constexpr Cycle read_latency() const { return read + burst; }
  [[nodiscard]] constexpr Cycle write_latency() const { return write + burst; }
  [[nodiscard]] std::optional<Cycle> of(std::string_view name) const {
    for (const NamedCycles& one : named) {
      if (one.name == name) return one.value;
    }
    return std::nullopt;
  }
};

}  // namespace neardata::dram
