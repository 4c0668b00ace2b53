// SPDX-License-Identifier: Apache-2.0
//
// The commands of a memory standard. Its table (src/machine/dram/standards) defines their names,
// effects and order; a controller selects the commands that it issues by their effects.
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
  std::uint32_t bus = 0;     ///< number of the command bus
  /// Whether the command begins in odd cycles only: if a cycle is half a clock, these are the
  /// rising edges.
  bool odd_cycles = false;
  /// Whether the command may issue between the two commands of an activation.
  bool between_activation = false;
};

/// The first command of the list with this effect.
[[nodiscard]] inline std::optional<Command> find_command(const std::vector<CommandKind>& kinds,
                                                         Effect effect) {
  const auto found = std::ranges::find(kinds, effect, &CommandKind::effect);
  if (found == kinds.end()) return std::nullopt;
  return Command{static_cast<std::uint8_t>(found - kinds.begin())};
}

/// A bit for each command.
using CommandSet = std::uint32_t;
inline constexpr CommandSet kAllCommands = ~CommandSet{0};
constexpr bool has(CommandSet set, Command command) { return (set >> index(command) & 1U) != 0; }

/// The list must have every command that a caller looks up.
class Commands {
 public:
  explicit Commands(const std::vector<CommandKind>& kinds)
      : size_(static_cast<std::uint8_t>(kinds.size())) {
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      effects_[c] = kinds[c].effect;
      first_bits_[c] = kinds[c].odd_cycles ? 1 : 0;
      odd_cycles_ |= kinds[c].odd_cycles;
      if (kinds[c].between_activation) between_activation_ |= CommandSet{1} << c;
      buses_ = std::max(buses_, kinds[c].bus + 1);
    }
    of_bus_.resize(buses_);
    for (std::size_t c = 0; c < kinds.size(); ++c) of_bus_[kinds[c].bus] |= 1U << c;
    const auto of = [&](Action action, Reach reach, bool closes = false) {
      return find_command(kinds, {action, reach, closes}).value_or(Command{kNone});
    };
    open = of(Action::kOpen, Reach::kBank);
    const Command start = of(Action::kStartOpen, Reach::kBank);
    activate = start == Command{kNone} ? open : start;
    closing_read_ = of(Action::kRead, Reach::kBank, true);
    closing_write_ = of(Action::kWrite, Reach::kBank, true);
    sync_read_ = of(Action::kSyncRead, Reach::kBank);
    sync_write_ = of(Action::kSyncWrite, Reach::kBank);
    read = of(Action::kRead, Reach::kBank);
    write = of(Action::kWrite, Reach::kBank);
    for (const Reach reach : {Reach::kBank, Reach::kSameBank, Reach::kRank}) {
      closes_[place(reach)] = of(Action::kClose, reach);
      refreshes_[place(reach)] = of(Action::kRefresh, reach);
      manages_[place(reach)] = of(Action::kManage, reach);
    }
  }

  Command activate;  ///< the first command of an activation
  Command open;      ///< the last one, after which the row is open; the same if there is one
  Command read;
  Command write;
  [[nodiscard]] Command close(Reach reach) const { return closes_[place(reach)]; }
  [[nodiscard]] Command refresh(Reach reach) const { return refreshes_[place(reach)]; }
  [[nodiscard]] Command manage(Reach reach) const { return manages_[place(reach)]; }
  [[nodiscard]] Command access(Operation operation) const {
    return operation == Operation::kRead ? read : write;
  }

  /// The access with auto-precharge for an access without, and the command that starts the data
  /// clock for an access.
  [[nodiscard]] Command closing(Command access) const {
    return access == read ? closing_read_ : closing_write_;
  }
  [[nodiscard]] Command sync(Command access) const {
    return effects_[index(access)].action == Action::kRead ? sync_read_ : sync_write_;
  }
  /// Whether an activation is two commands, and the commands that may issue between them.
  [[nodiscard]] bool splits_activation() const { return activate != open; }
  [[nodiscard]] CommandSet between_activation() const { return between_activation_; }

  [[nodiscard]] Effect effect(Command command) const { return effects_[index(command)]; }
  [[nodiscard]] std::uint8_t size() const { return size_; }

  /// Command buses. In one cycle commands issue from the last bus to the first.
  [[nodiscard]] std::uint32_t buses() const { return buses_; }
  [[nodiscard]] CommandSet of_bus(std::uint32_t bus) const { return of_bus_[bus]; }
  /// Whether no other command issues in the cycle of this one.
  [[nodiscard]] bool ends_cycle(Command command) const { return has(of_bus_[0], command); }

  /// Whether some commands begin in odd cycles only.
  [[nodiscard]] bool odd_cycles() const { return odd_cycles_; }
  /// The first cycle, at `cycle` or later, in which the command can begin.
  [[nodiscard]] Cycle from(Command command, Cycle cycle) const {
    return {cycle.value | first_bits_[index(command)]};
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  static constexpr std::size_t place(Reach reach) { return static_cast<std::size_t>(reach); }

  std::uint8_t size_;  ///< at most kCommands
  std::array<Effect, kCommands> effects_{};
  std::array<std::int64_t, kCommands> first_bits_{};  ///< 1 for a command of odd cycles
  bool odd_cycles_ = false;
  CommandSet between_activation_ = 0;
  Command closing_read_;
  Command closing_write_;
  Command sync_read_;
  Command sync_write_;
  std::uint32_t buses_ = 1;
  std::vector<CommandSet> of_bus_;
  std::array<Command, 3> closes_{};
  std::array<Command, 3> refreshes_{};
  std::array<Command, 3> manages_{};
};

}  // namespace neardata::dram
