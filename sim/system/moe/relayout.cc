// SPDX-License-Identifier: Apache-2.0
#include "system/moe/relayout.h"

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

namespace {

/// The bursts that at least two of the ranges share.
BurstSet shared_parts(std::vector<BurstRange> ranges) {
  std::ranges::sort(ranges, {}, &BurstRange::first);
  std::vector<BurstRange> shared;
  std::uint64_t end = 0;
  for (const BurstRange& range : ranges) {
    if (range.first < end) shared.push_back({range.first, std::min(range.end, end)});
    end = std::max(end, range.end);
  }
  return BurstSet(std::move(shared));
}

}  // namespace

std::vector<RelayoutMove> undisturbed(const std::vector<RelayoutMove>& moves, const JobWrites& jobs,
                                      const MoveWrites& targets) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<BurstSet, 2>> streams;
  std::vector<BurstSet> by_jobs;
  for (const auto& ranges : jobs) by_jobs.emplace_back(ranges);
  for (std::uint32_t d = 0; d < targets.size(); ++d) {
    for (std::uint32_t s = 0; s < targets[d].size(); ++s) {
      streams[{d, s}] = {BurstSet(targets[d][s]), shared_parts(targets[d][s])};
    }
  }
  std::vector<RelayoutMove> left = moves;
  for (RelayoutMove& move : left) {
    std::erase_if(move.runs, [&](const RelayoutRun& run) {
      const BurstRange from = bursts_at(run.from, run.bursts);
      const BurstRange to = bursts_at(run.to, run.bursts);
      const auto& [overwritten, ignored] = streams[{run.from.dimm, run.from.stream}];
      const auto& [written, contested] = streams[{run.to.dimm, run.to.stream}];
      return overwritten.overlaps(from) || by_jobs[run.from.dimm].overlaps(from) ||
             contested.overlaps(to) || by_jobs[run.to.dimm].overlaps(to);
    });
  }
  return left;
}

void fill_sources(const std::vector<RelayoutMove>& moves, std::uint64_t seed, Stores& stores) {
  std::array<std::uint64_t, core::kBurstBytes / sizeof(std::uint64_t)> words{};
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
      if (std::equal(sent, sent + core::kBurstBytes, to.burst(run.to.burst + b))) continue;
      return "burst " + std::to_string(run.to.burst + b) + " of stream " +
             std::to_string(run.to.stream) + " on DIMM " + std::to_string(run.to.dimm) +
             " is not what was sent from DIMM " + std::to_string(run.from.dimm);
    }
  }
  return std::nullopt;
}

}  // namespace neardata::system
