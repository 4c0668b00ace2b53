// SPDX-License-Identifier: Apache-2.0
//
// Constraints between two commands: rows of numbers from the table of a memory standard
// (src/machine/dram/standards), and the dense form that a channel uses. This file contains no
// constraint of a standard.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dram/commands.h"

namespace neardata::dram {

enum class Level : std::uint8_t { kChannel, kRank, kBankGroup, kBank, kLogicalRank };
inline constexpr std::size_t kLevels = 5;

/// After a command `from` in cycle t, no command `to` issues before t + `wait` at the same node of
/// `level`. Both cycles are first cycles of the commands. With `others`, `to` addresses another
/// rank than `from`, or another logical rank of the same rank. With a window of w, t is the cycle
/// of the w-th most recent `from` of the rank; rows with the same window count their commands
/// together.
struct Constraint {
  Command from;
  Command to;
  Level level = Level::kChannel;
  bool others = false;
  std::uint32_t window = 1;
  Cycle wait;
};

/// The reason why a channel with these commands cannot apply the rows; empty if it can.
[[nodiscard]] std::optional<std::string> refuses(const std::vector<Constraint>& rows,
                                                 const std::vector<CommandKind>& commands);

/// Waits by next command; kNoWait without a constraint.
using Waits = std::array<std::int64_t, kCommands>;
inline constexpr std::int64_t kNoWait = std::numeric_limits<std::int64_t>::min() / 4;

struct WindowedWaits {
  CommandSet previous = 0;
  Waits waits{};
  std::uint32_t window = 1;
};

/// Constraints by level and previous command.
struct ConstraintTable {
  /// Waits at the nodes that a command addresses.
  std::array<std::array<Waits, kCommands>, kLevels> target;
  /// Whether a previous command has any wait at this level.
  std::array<std::array<bool, kCommands>, kLevels> any;
  /// Waits at the other ranks, and at the other logical ranks of the rank.
  std::array<Waits, kCommands> other_ranks;
  std::array<bool, kCommands> any_other_ranks;
  std::array<Waits, kCommands> other_logical_ranks;
  std::array<bool, kCommands> any_other_logical_ranks;
  std::vector<WindowedWaits> windowed;

  /// From a command to another one that addresses the same banks.
  [[nodiscard]] Cycle wait(Level level, Command from, Command to) const {
    return {target[static_cast<std::size_t>(level)][index(from)][index(to)]};
  }
};

/// The rows must have passed `refuses`.
[[nodiscard]] ConstraintTable compile(const std::vector<Constraint>& rows);

}  // namespace neardata::dram
