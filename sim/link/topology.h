// SPDX-License-Identifier: Apache-2.0
//
// Which DIMMs of a group have links to each other, and the path from one to another: the shortest,
// by increasing number where two are equal. Groups are not linked. In a group of DIMM-Link are the
// DIMMs on one side of the CPU; its paper (Zhou et al., HPCA 2023) has the chain, which it calls a
// half-ring, the ring and the mesh.
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
  /// The DIMMs after `from` up to `to`; empty when there is no way.
  [[nodiscard]] std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to) const;
};

}  // namespace neardata::link
