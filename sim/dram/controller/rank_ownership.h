// SPDX-License-Identifier: Apache-2.0
//
// Which ranks a controller may use. The host's channel and the private channel of a rank in NDP
// mode share the banks, and one of them owns the rank at any time. Before a transfer, the owner
// accepts no further requests for the rank, finishes the accepted ones, and closes the rank with a
// PREA.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dram/handed_rank.h"
#include "dram/types.h"

namespace neardata::dram {

class RankOwnership {
 public:
  RankOwnership(std::uint32_t ranks, bool owned)
      : ranks_(ranks, {owned ? Stage::kOwned : Stage::kAway, 0, {}}) {}

  /// Whether the controller accepts requests for the rank.
  [[nodiscard]] bool owns(std::uint32_t rank) const { return ranks_[rank].stage == Stage::kOwned; }

  /// Accepted requests for the rank that are not complete.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t rank) const { return ranks_[rank].waiting; }
  void request_taken(std::uint32_t rank) { ++ranks_[rank].waiting; }
  /// Counts a completed request. Returns whether it was the last one before the rank can be
  /// released.
  [[nodiscard]] bool request_done(std::uint32_t rank) {
    return --ranks_[rank].waiting == 0 && ranks_[rank].stage == Stage::kLeaving;
  }
  /// Stops accepting requests for the rank. Returns whether it can be released at once.
  [[nodiscard]] bool begin_leaving(std::uint32_t rank) {
    if (ranks_[rank].stage != Stage::kOwned) return false;
    ranks_[rank].stage = Stage::kLeaving;
    return ranks_[rank].waiting == 0;
  }
  void left(std::uint32_t rank, const HandedRank& handed) {
    ranks_[rank].stage = Stage::kAway;
    ranks_[rank].handed = handed;
  }
  void take(std::uint32_t rank) { ranks_[rank].stage = Stage::kOwned; }

  /// The state for the next owner; empty until the rank is released.
  [[nodiscard]] std::optional<HandedRank> handed(std::uint32_t rank) const {
    if (ranks_[rank].stage != Stage::kAway) return std::nullopt;
    return ranks_[rank].handed;
  }

 private:
  enum class Stage : std::uint8_t { kOwned, kLeaving, kAway };
  struct Rank {
    Stage stage = Stage::kOwned;
    std::uint32_t waiting = 0;
    HandedRank handed;
  };
  std::vector<Rank> ranks_;
};

}  // namespace neardata::dram
