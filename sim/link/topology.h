// SPDX-License-Identifier: Apache-2.0
//
// The links between the DIMMs of a group, and the paths: the shortest path, by ascending number if
// two are equal. Groups have no links to each other. A group of DIMM-Link contains the DIMMs on one
// side of the CPU. The paper of DIMM-Link (Zhou et al., HPCA 2023) has the chain (half-ring), the
// ring and the mesh.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace neardata::link {

enum class TopologyKind : std::uint8_t {
  kChain,  ///< each DIMM to the next
  kRing,   ///< and the last to the first
  kMesh,   ///< two rows: each DIMM to the next two numbers on, and even numbers to the next one
  kFull,   ///< each DIMM to each other
};

struct Topology {
  TopologyKind kind = TopologyKind::kFull;
  std::uint32_t group = 16;  ///< DIMMs in a group, neighbours by number

  /// Why so many DIMMs are not in groups of this topology; nothing where they are.
  [[nodiscard]] std::optional<std::string> refuses(std::uint32_t dimms) const;
  /// The next DIMM on the path; nothing between different groups. `at` and `target` differ.
  [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t at, std::uint32_t target) const;
  /// The DIMMs after `from` up to `to`; empty without a path.
  [[nodiscard]] std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to) const;
};

}  // namespace neardata::link
