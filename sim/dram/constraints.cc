// SPDX-License-Identifier: Apache-2.0
#include "dram/constraints.h"

#include <algorithm>

namespace neardata::dram {
namespace {

/// Cycles of a wait at most, in both directions: a sum of a few timings of 10^6 cycles each.
constexpr std::int64_t kMostWait = 10'000'000;
/// Commands that a window counts at most.
constexpr std::uint32_t kMostWindow = 1024;

constexpr Waits no_waits() {
  Waits waits{};
  waits.fill(kNoWait);
  return waits;
}

void tighten(Waits& waits, const Constraint& row) {
  std::int64_t& wait = waits[index(row.to)];
  wait = std::max(wait, row.wait.value);
}

/// Whether a channel has ready times for the pair of commands at this level.
bool has_nodes(Level level, Reach from, Reach to) {
  if (level == Level::kChannel || level == Level::kRank) return true;
  if (from == Reach::kRank || to == Reach::kRank) return false;
  return level == Level::kBank || from == Reach::kBank;
}

WindowedWaits& windowed_of(ConstraintTable& table, const Constraint& row) {
  const auto known = std::ranges::find(table.windowed, row.window, &WindowedWaits::window);
  if (known != table.windowed.end()) return *known;
  return table.windowed.emplace_back(WindowedWaits{0, no_waits(), row.window});
}

}  // namespace

std::optional<std::string> refuses(const std::vector<Constraint>& rows,
                                   const std::vector<CommandKind>& commands) {
  if (rows.empty()) return "a channel must have timing constraints";
  for (const Constraint& row : rows) {
    if (index(row.from) >= commands.size() || index(row.to) >= commands.size()) {
      return "a constraint must have commands of the channel";
    }
    const CommandKind& from = commands[index(row.from)];
    const CommandKind& to = commands[index(row.to)];
    const std::string pair = "the constraint from " + from.name + " to " + to.name;
    if (row.wait.value < -kMostWait || row.wait.value > kMostWait) {
      return pair + " must not be longer than 10^7 cycles";
    }
    if (row.window < 1 || row.window > kMostWindow) {
      return pair + " must have a window of 1 to 1024 commands";
    }
    const bool among_ranks =
        row.level == Level::kRank || (row.others && row.level == Level::kLogicalRank);
    if ((row.window > 1 || row.others) && !among_ranks) {
      return pair + " must be at the level of ranks";
    }
    if (row.window > 1 && row.others) return pair + " must not have a window over other ranks";
    if (!has_nodes(row.level, from.effect.reach, to.effect.reach)) {
      return pair + " must be at the level of a rank, which a command addresses";
    }
  }
  return std::nullopt;
}

ConstraintTable compile(const std::vector<Constraint>& rows) {
  ConstraintTable table{};
  for (auto& level : table.target) level.fill(no_waits());
  table.other_ranks.fill(no_waits());
  table.other_logical_ranks.fill(no_waits());
  for (const Constraint& row : rows) {
    const std::size_t from = index(row.from);
    const auto level = static_cast<std::size_t>(row.level);
    if (row.window > 1) {
      WindowedWaits& windowed = windowed_of(table, row);
      windowed.previous |= CommandSet{1} << from;
      tighten(windowed.waits, row);
    } else if (row.others && row.level == Level::kLogicalRank) {
      tighten(table.other_logical_ranks[from], row);
      table.any_other_logical_ranks[from] = true;
    } else if (row.others) {
      tighten(table.other_ranks[from], row);
      table.any_other_ranks[from] = true;
    } else {
      tighten(table.target[level][from], row);
      table.any[level][from] = true;
    }
  }
  return table;
}

}  // namespace neardata::dram
