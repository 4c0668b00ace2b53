// SPDX-License-Identifier: Apache-2.0
//
// Synthetic attention heads, bit for bit those of src/workload/hta1.ts, which defines them.
#pragma once

#include <cstdint>
#include <vector>

namespace neardata::unit {

enum class HeadPart : std::uint8_t { kQueries, kKeys, kValues };

/// A head, and the tokens of it whose rows are wanted: `from` to `to`, that one not included.
struct HeadShape {
  std::uint32_t seed;
  std::uint32_t length;
  std::uint32_t width;
  std::uint32_t from;
  std::uint32_t to;
};

/// Rows of binary16.
[[nodiscard]] std::vector<std::uint16_t> head_rows(HeadPart part, const HeadShape& shape);

}  // namespace neardata::unit
