// SPDX-License-Identifier: Apache-2.0
#include "link/topology.h"

namespace neardata::link {

std::optional<std::string> Topology::refuses(std::uint32_t dimms) const {
  if (kind == TopologyKind::kMesh && group % 2 != 0) {
    return "a mesh has two rows, and a group of " + std::to_string(group) + " DIMMs has not";
  }
  if (kind == TopologyKind::kChain || kind == TopologyKind::kFull || dimms % group == 0) {
    return std::nullopt;
  }
  return "a ring or a mesh needs whole groups, and " + std::to_string(dimms) +
         " DIMMs are not in groups of " + std::to_string(group);
}

std::optional<std::uint32_t> Topology::next(std::uint32_t at, std::uint32_t target) const {
  if (at / group != target / group) return std::nullopt;
  if (kind == TopologyKind::kFull) return target;
  const std::uint32_t first = at / group * group;
  if (kind == TopologyKind::kMesh) {
    // Along the row, then to the other row: paths of one order of dimensions cannot wait for each
    // other in a circle.
    const std::uint32_t column = (at - first) / 2;
    const std::uint32_t wanted = (target - first) / 2;
    if (column == wanted) return target;
    return wanted > column ? at + 2 : at - 2;
  }
  const std::uint32_t up = (target + group - at) % group;  // hops by increasing number, in a ring
  const bool upwards = kind == TopologyKind::kChain ? target > at : 2 * up <= group;
  return first + (at - first + (upwards ? 1 : group - 1)) % group;
}

std::vector<std::uint32_t> Topology::path(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> way;
  for (std::uint32_t at = from; at != to; at = way.back()) {
    const auto step = next(at, to);
    if (!step) return {};
    way.push_back(*step);
  }
  return way;
}

}  // namespace neardata::link
