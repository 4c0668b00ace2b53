// SPDX-License-Identifier: Apache-2.0
//
// The distinct pairs of states of a model (the cycle model of the unit, or its environment) and the
// RTL in one cycle, for a search for cases with new pairs.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "core/splitmix64.h"

namespace neardata::bench {

/// Words in their order as one.
inline std::uint64_t mixed(std::uint64_t first, std::uint64_t next) {
  return core::SplitMix64(core::SplitMix64(first).next() ^ next).next();
}

class StatePairs {
 public:
  void see(std::uint64_t model, std::uint64_t rtl) {
    pairs_.insert(static_cast<std::uint32_t>(mixed(model, rtl) >> 32U));
  }

  /// A 32-bit word for each pair. @throws std::runtime_error when the file cannot be written
  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    for (const std::uint32_t pair : pairs_) {
      file.write(reinterpret_cast<const char*>(&pair), sizeof pair);
    }
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::unordered_set<std::uint32_t> pairs_;
};

}  // namespace neardata::bench
