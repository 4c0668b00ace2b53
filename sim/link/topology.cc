// SPDX-License-Identifier: Apache-2.0
#include "link/topology.h"

namespace neardata::link {

std::optional<std::uint32_t> Topology::next(std::uint32_t at, std::uint32_t target) const {
  if (at / group != target / group) return std::nullopt;
  if (kind == TopologyKind::kFull) return target;
  const std::uint32_t first = at / group * group;
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
