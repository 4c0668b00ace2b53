// SPDX-License-Identifier: Apache-2.0
//
// Moves of experts between layouts and DIMMs as data. A move is a list of runs of bursts; the runs
// from one DIMM to another are a flow. At most `links` flows of a move cross DIMM-Links at a time;
// a flow within a DIMM needs none and starts at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/port.h"
#include "core/time.h"
#include "system/memory/burst_history.h"
#include "system/memory/byte_store.h"
#include "system/time_span.h"

namespace neardata::system {

/// A rank-sub-channel of a DIMM and a burst in it.
struct BurstPlace {
  std::uint32_t dimm = 0;
  std::uint32_t stream = 0;
  std::uint32_t burst = 0;
};

/// Bursts that are consecutive at both ends.
struct RelayoutRun {
  BurstPlace from;
  BurstPlace to;
  std::uint32_t bursts = 0;
};

struct RelayoutMove {
  std::uint32_t links = 1;
  core::Fs start;
  std::vector<RelayoutRun> runs;
};

/// The runs of a move that have the same two ends.
struct Flow {
  std::uint32_t move = 0;
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint64_t bursts = 0;
  std::vector<RelayoutRun> runs;
};

[[nodiscard]] std::vector<Flow> flows_of(const std::vector<RelayoutMove>& moves);

/// So many bursts of a stream from a place on.
[[nodiscard]] inline BurstRange bursts_at(const BurstPlace& place, std::uint32_t bursts) {
  return {place.burst, std::uint64_t{place.burst} + bursts};
}

/// Bursts that a machine's moves write, by DIMM and stream, and that its jobs write, by DIMM in any
/// stream.
using MoveWrites = std::vector<std::vector<std::vector<BurstRange>>>;
using JobWrites = std::vector<std::vector<BurstRange>>;

/// Every move, with those of its runs that read and write bursts that no other move writes:
/// finally, their two ends are equal.
[[nodiscard]] std::vector<RelayoutMove> undisturbed(const std::vector<RelayoutMove>& moves,
                                                    const JobWrites& jobs,
                                                    const MoveWrites& targets);

/// The stores of a machine: by DIMM, by stream.
using Stores = std::vector<std::vector<ByteStore>>;

/// Writes pseudo-random bytes to the sources of the moves.
void fill_sources(const std::vector<RelayoutMove>& moves, std::uint64_t seed, Stores& stores);

/// The first burst of a run whose bytes at its two ends differ, in words.
[[nodiscard]] std::optional<std::string> difference(const RelayoutMove& move, const Stores& stores);

struct FlowOrder {
  static constexpr core::MessageType kMessage{"order of a flow"};
  std::uint32_t flow = 0;
};
struct FlowDone {
  static constexpr core::MessageType kMessage{"end of a flow"};
  std::uint32_t flow = 0;
};

}  // namespace neardata::system
