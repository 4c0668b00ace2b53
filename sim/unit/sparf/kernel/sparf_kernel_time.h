// SPDX-License-Identifier: Apache-2.0
//
// Common types of the kernel's cycle model: times, messages of the kernel's ports, and the
// parameters of a head.
#pragma once

#include <cstdint>
#include <span>

namespace neardata::unit {

/// A cycle after reset.
using KernelTime = std::int64_t;
/// The time depends on later handshakes. Later than every cycle, also with a delay added.
inline constexpr KernelTime kNever = INT64_MAX / 4;

struct KernelHead {
  std::uint32_t slot = 0;
  bool dense = false;
  bool mean = false;
  std::uint32_t group = 1;  ///< queries
  std::uint32_t tokens = 0;
  std::uint32_t dims = 0;
  std::uint32_t take = 0;
  std::uint32_t window = 0;

  /// Eights of tokens.
  [[nodiscard]] std::int64_t beats() const { return (tokens + 7) / 8; }
};

struct KernelKeyJob {
  std::uint32_t slot = 0;
  bool column = false;
  bool second = false;
  bool last = false;
  std::uint32_t count = 0;  ///< tokens
  /// With the last job of step 1: the tokens that the kernel will choose, ascending. Read in the
  /// call only.
  std::span<const std::uint32_t> chosen;
  /// With it, too: digits of scores that the choice looks at, 0 if it looks at none.
  std::uint32_t digits = 0;
};

struct KernelValueJob {
  std::uint32_t slot = 0;
  bool last = false;
  std::uint32_t count = 0;
};

struct KernelSelection {
  std::uint32_t slot = 0;
  std::uint32_t beat = 0;
  bool last = false;
};

struct KernelLine {
  std::uint32_t slot = 0;
  std::uint32_t query = 0;
  std::uint32_t line = 0;
  bool last = false;
};

}  // namespace neardata::unit
