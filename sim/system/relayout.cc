// SPDX-License-Identifier: Apache-2.0
#include "system/relayout.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace neardata::system {

std::vector<Flow> flows_of(const std::vector<RelayoutMove>& moves) {
  std::vector<Flow> flows;
  for (std::uint32_t m = 0; m < moves.size(); ++m) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    for (const RelayoutRun& run : moves[m].runs) {
      const auto [place, fresh] = places.try_emplace({run.from.dimm, run.to.dimm}, flows.size());
      if (fresh) flows.push_back({m, run.from.dimm, run.to.dimm, 0, {}});
      Flow& flow = flows[place->second];
      flow.bursts += run.bursts;
      flow.runs.push_back(run);
    }
  }
  return flows;
}

void fill_sources(const std::vector<RelayoutMove>& moves, std::uint64_t seed, Stores& stores) {
  std::array<std::uint64_t, unit::kBurstBytes / sizeof(std::uint64_t)> words{};
  std::uint64_t state = seed;
  for (const RelayoutMove& move : moves) {
    for (const RelayoutRun& run : move.runs) {
      for (std::uint32_t b = 0; b < run.bursts; ++b) {
        // A multiplicative counter: all bursts differ, and that is all they are for.
        for (std::uint64_t& word : words) word = (state += 0x9E3779B97F4A7C15) * 0xD1342543DE82EF95;
        stores[run.from.dimm][run.from.stream].write_burst(
            run.from.burst + b, ByteStore::Burst(std::as_bytes(std::span(words))));
      }
    }
  }
}

std::optional<std::string> difference(const RelayoutMove& move, const Stores& stores) {
  for (const RelayoutRun& run : move.runs) {
    const ByteStore& from = stores[run.from.dimm][run.from.stream];
    const ByteStore& to = stores[run.to.dimm][run.to.stream];
    for (std::uint32_t b = 0; b < run.bursts; ++b) {
      const std::byte* sent = from.burst(run.from.burst + b);
      if (std::equal(sent, sent + unit::kBurstBytes, to.burst(run.to.burst + b))) continue;
      return "burst " + std::to_string(run.to.burst + b) + " of stream " +
             std::to_string(run.to.stream) + " on DIMM " + std::to_string(run.to.dimm) +
             " is not what was sent from DIMM " + std::to_string(run.from.dimm);
    }
  }
  return std::nullopt;
}

}  // namespace neardata::system
