// SPDX-License-Identifier: Apache-2.0
//
// Which command holds back which, where and for how long: the one table of rules, and the dense
// form that a channel works with.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "dram/semantics.h"
#include "dram/timing.h"
#include "dram/types.h"

namespace neardata::dram {

enum class Level : std::uint8_t { kChannel, kRank, kBankGroup, kBank };
inline constexpr std::size_t kLevels = 4;

enum class Scope : std::uint8_t {
  kTarget,  ///< the addressed node, and all nodes below a rank that is addressed as a whole
  kOthers,  ///< the other nodes of that level in the channel
};

class CommandSet {
 public:
  constexpr CommandSet(std::initializer_list<Command> commands) {
    for (const Command c : commands) bits_ |= 1U << index(c);
  }
  [[nodiscard]] constexpr bool has(Command c) const { return (bits_ >> index(c) & 1U) != 0; }

 private:
  unsigned bits_ = 0;
};

/// After a command of `previous` in cycle t none of `next` issues before t + `wait` at that node;
/// with a window w, t is the time of the w-th most recent one of them.
struct Rule {
  std::string_view what;  ///< parameter or reason, as the standard calls it
  Level level = Level::kChannel;
  Scope scope = Scope::kTarget;
  CommandSet previous{};
  CommandSet next{};
  Cycle wait;
  unsigned window = 1;
};

/// Cycles that a command occupies the command bus.
constexpr Cycle command_cycles(Command command) {
  const bool two =
      command == Command::kActivate || command == Command::kRead || command == Command::kWrite;
  return {two ? 2 : 1};
}

std::vector<Rule> constraint_rules(const Timing& timing, const Semantics& semantics);

/// Waits by next command; kNoWait where there is none.
using Waits = std::array<std::int64_t, kCommands>;
inline constexpr std::int64_t kNoWait = std::numeric_limits<std::int64_t>::min() / 4;

struct WindowedRule {
  Level level = Level::kRank;
  Command previous = Command::kActivate;
  Waits waits{};
  unsigned window = 1;
};

struct Constraints {
  /// What a command does to the nodes it addresses, by level and command.
  std::array<std::array<Waits, kCommands>, kLevels> target;
  /// Whether that is anything at all.
  std::array<std::array<bool, kCommands>, kLevels> any;
  /// What it does to the other ranks.
  std::array<Waits, kCommands> other_ranks;
  std::array<bool, kCommands> any_other_ranks;
  std::vector<WindowedRule> windowed;
};

Constraints compile(const std::vector<Rule>& rules, const Semantics& semantics);

}  // namespace neardata::dram
