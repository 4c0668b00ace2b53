// SPDX-License-Identifier: Apache-2.0
//
// The commands of a memory standard. Their names, effects and order come from its table
// (src/machine/dram/standards); a controller finds those that it sends by their effects.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dram/types.h"

namespace neardata::dram {

struct CommandKind {
  std::string name;  ///< in command traces
  Effect effect;
  std::uint32_t cycles = 1;  ///< on the command bus
};

/// The first command of the list with this effect.
[[nodiscard]] inline std::optional<Command> find_command(const std::vector<CommandKind>& kinds,
                                                         Effect effect) {
  const auto found = std::ranges::find(kinds, effect, &CommandKind::effect);
  if (found == kinds.end()) return std::nullopt;
  return Command{static_cast<std::uint8_t>(found - kinds.begin())};
}

/// Of a list that has every command that is asked for.
class Commands {
 public:
  explicit Commands(const std::vector<CommandKind>& kinds)
      : size_(static_cast<std::uint8_t>(kinds.size())) {
    for (std::size_t c = 0; c < kinds.size(); ++c) effects_[c] = kinds[c].effect;
    const auto of = [&](Action action, Reach reach) {
      return find_command(kinds, {action, reach}).value_or(Command{kNone});
    };
    open = of(Action::kOpen, Reach::kBank);
    read = of(Action::kRead, Reach::kBank);
    write = of(Action::kWrite, Reach::kBank);
    for (const Reach reach : {Reach::kBank, Reach::kSameBank, Reach::kRank}) {
      closes_[place(reach)] = of(Action::kClose, reach);
      refreshes_[place(reach)] = of(Action::kRefresh, reach);
    }
  }

  Command open;
  Command read;
  Command write;
  [[nodiscard]] Command close(Reach reach) const { return closes_[place(reach)]; }
  [[nodiscard]] Command refresh(Reach reach) const { return refreshes_[place(reach)]; }
  [[nodiscard]] Command access(Operation operation) const {
    return operation == Operation::kRead ? read : write;
  }

  [[nodiscard]] Effect effect(Command command) const { return effects_[index(command)]; }
  [[nodiscard]] std::uint8_t size() const { return size_; }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  static constexpr std::size_t place(Reach reach) { return static_cast<std::size_t>(reach); }

  std::uint8_t size_;  ///< at most kCommands
  std::array<Effect, kCommands> effects_{};
  std::array<Command, 3> closes_{};
  std::array<Command, 3> refreshes_{};
};

}  // namespace neardata::dram
