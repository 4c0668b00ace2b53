// SPDX-License-Identifier: Apache-2.0
//
// The earliest time of each command at each part of a channel. Ready times never decrease, so a
// returned time stays a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "dram/commands.h"
#include "dram/constraints.h"
#include "dram/handed_rank.h"
#include "dram/organization.h"
#include "dram/types.h"

namespace neardata::dram {

/// A bank counted through the channel (Organization::bank_of).
using BankIndex = std::uint16_t;

/// Contribution of channel, rank and logical rank to ready times, at kCommands * logical rank +
/// command. Logical ranks are numbered through the channel.
using RankReady = std::vector<std::int64_t>;

/// A command that no other command may delay. `bank` is its bank; for a command to one bank of
/// every group, the bank of any group; for a command to a rank, any of its banks.
struct DueCommand {
  Command command;
  Reach reach = Reach::kRank;
  BankIndex bank = 0;
  Cycle when;  ///< earliest cycle if nothing else issues
};

class Readiness {
 public:
  Readiness(const Organization& organization, const Commands& commands,
            ConstraintTable constraints);

  /// For a command that addresses one bank. Always inlined: every plan calls it for each active
  /// request.
  [[nodiscard, gnu::always_inline]] Cycle ready(Command command, BankIndex bank) const {
    const std::size_t c = index(command);
    const std::size_t group = bank >> bank_bits_;
    const std::size_t rank = group >> (group_bits_ + logical_bits_);
    const Cycle when{
        std::max(ranks_[rank].ready[c], std::max(groups_[group].ready[c], banks_[bank].ready[c]))};
    if (has_finer_ranks_) [[unlikely]]
      return finer(command, bank, when);
    return when;
  }
  /// The first cycle, at `from` or later, in which the command can begin.
  [[nodiscard, gnu::always_inline]] Cycle ready_from(Command command, BankIndex bank,
                                                     Cycle from) const {
    const Cycle when = std::max(ready(command, bank), from);
    if (has_finer_ranks_) [[unlikely]]
      return commands_.from(command, when);
    return when;
  }
  /// The part of `ready` that the bank and its bank group contribute, in a cycle in which the
  /// command can begin.
  [[nodiscard]] Cycle ready_local(Command command, BankIndex bank) const {
    const std::size_t c = index(command);
    const std::int64_t when = std::max(groups_[bank >> bank_bits_].ready[c], banks_[bank].ready[c]);
    return commands_.from(command, {when});
  }
  /// For a command that addresses a rank: the part of `ready` from channel and rank.
  [[nodiscard]] Cycle ready_rank(Command command, std::uint32_t rank) const {
    return {ranks_[rank].ready[index(command)]};
  }
  /// For a command that addresses bank `bank` of every bank group of a rank.
  [[nodiscard]] Cycle ready_same(Command command, std::uint32_t rank, std::uint32_t bank) const;

  /// Whether a command to one bank in cycle `at` would delay a command that is due.
  [[nodiscard]] bool delays(Command command, BankIndex bank, Cycle at, const DueCommand& due) const;

  /// The part of `ready` from channel and rank, if a rank is one logical rank.
  [[nodiscard]] const std::int64_t* rank_ready() const { return ranks_.front().ready.data(); }
  /// Fills `ready` with the same for logical ranks, at `from` or later, and in cycles in which the
  /// commands begin.
  void find_rank_ready(RankReady& ready, Cycle from) const;
  /// Whether `command` changes results of ready_local for the whole bank group: those of accesses,
  /// and those of other commands.
  struct GroupChange {
    bool accesses = false;
    bool others = false;
  };
  [[nodiscard]] GroupChange changes_group(Command command) const {
    return group_changes_[index(command)];
  }

  /// From a refresh or an RFM to the first activation of the banks that it refreshed.
  [[nodiscard]] Cycle refresh_time(Command refresh) const {
    const bool rank = commands_.effect(refresh).reach == Reach::kRank;
    return constraints_.wait(rank ? Level::kRank : Level::kBank, refresh, commands_.activate);
  }

  void issue(Command command, BankIndex bank, Cycle now);
  void issue_rank(Command command, std::uint32_t rank, Cycle now);
  void issue_same(Command command, std::uint32_t rank, std::uint32_t bank, Cycle now);
  /// Blocks all commands to the rank until controllers other than its last user may issue them.
  void block_rank(std::uint32_t rank, const HandedRank& handed);

  [[nodiscard]] std::uint32_t rank_of(BankIndex bank) const {
    return logical_rank_of(bank) >> logical_bits_;
  }
  /// Counted through the channel.
  [[nodiscard]] std::uint32_t logical_rank_of(BankIndex bank) const {
    return static_cast<std::uint32_t>(bank) >> (bank_bits_ + group_bits_);
  }
  /// Whether ready times depend on more than a rank: on its logical ranks, or on the cycle in which
  /// a command can begin.
  [[nodiscard]] bool has_finer_ranks() const { return has_finer_ranks_; }

 private:
  struct alignas(64) Node {
    Waits ready{};
  };
  static_assert(sizeof(Node) == kCommands * sizeof(std::int64_t));  // as RankReady
  /// Waits of the ranks after a command: those of the channel, and those of its rank or of others.
  struct RankWaits {
    Waits own{};
    Waits others{};
    bool any_others = false;
  };

  [[gnu::always_inline]] void push(Node& node, const Waits& waits, Cycle now) const {
    // Stores follow all loads: otherwise the compiler has to assume that node and waits overlap.
    std::array<std::int64_t, kFewCommands> ready;
    for (std::size_t c = 0; c < kFewCommands; ++c) {
      ready[c] = std::max(node.ready[c], now.value + waits[c]);
    }
    std::ranges::copy(ready, node.ready.begin());
    if (has_many_commands_) [[unlikely]]
      push_others(node, waits, now);
  }
  static void push_others(Node& node, const Waits& waits, Cycle now);
  void push_ranks(Command command, std::uint32_t rank, Cycle now);
  [[nodiscard]] Cycle finer(Command command, BankIndex bank, Cycle when) const;
  void push_logical_ranks(Command command, std::uint32_t logical, Cycle now);
  [[nodiscard]] bool fills_window(Command command, std::uint32_t rank, Cycle at,
                                  const DueCommand& due) const;
  void push_window(std::size_t rule, std::uint32_t rank, Cycle now);

  Commands commands_;
  ConstraintTable constraints_;
  std::uint32_t groups_per_rank_;
  std::uint32_t banks_per_group_;
  unsigned bank_bits_;  ///< counts are powers of two, and division is slow
  unsigned group_bits_;
  unsigned logical_bits_;
  bool has_finer_ranks_;
  bool has_many_commands_;  ///< more than kFewCommands
  std::array<RankWaits, kCommands> rank_waits_;
  std::array<GroupChange, kCommands> group_changes_{};
  std::vector<Node> ranks_;          ///< with the waits of the channel
  std::vector<Node> logical_ranks_;  ///< none where each rank is one
  std::vector<Node> groups_;
  std::vector<Node> banks_;

  /// The issue times a windowed rule looks back on, one ring for each rule and rank.
  struct History {
    std::vector<Cycle> times;
    std::size_t next = 0;
  };
  std::vector<std::vector<History>> histories_;
};

}  // namespace neardata::dram
