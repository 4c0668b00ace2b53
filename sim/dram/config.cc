// SPDX-License-Identifier: Apache-2.0
#include "dram/config.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace neardata::dram {
namespace {

constexpr const char* kTooManyBanks = "a channel must not have more than 4096 banks";

/// Collects the broken rules.
class Rules {
 public:
  void require(bool holds, std::string otherwise) {
    if (!holds) broken_.push_back(std::move(otherwise));
  }
  [[nodiscard]] std::vector<std::string> broken() && { return std::move(broken_); }

 private:
  std::vector<std::string> broken_;
};

void check_organization(const Organization& o, Rules& rules) {
  const std::pair<const char*, std::uint32_t> counts[] = {
      {"channels", o.channels},
      {"ranks", o.ranks},
      {"logical ranks", o.logical_ranks},
      {"bank groups", o.bank_groups},
      {"banks per group", o.banks_per_group},
      {"columns per row", o.columns_per_row},
      {"channel bits", o.channel_bits},
      {"burst length", o.burst_length},
  };
  for (const auto& [what, count] : counts) {
    rules.require(std::has_single_bit(count),
                  std::string(what) + " must be a power of two, not " + std::to_string(count));
  }
  rules.require(o.channels <= 1024, "a memory must not have more than 1024 channels");
  rules.require(o.channel_bits >= 8 && o.channel_bits <= 4096,
                "a channel must be 8 to 4096 bits wide");
  rules.require(o.burst_length <= 4096, "a burst must not be longer than 4096 transfers");
  for (const std::uint32_t count : {o.ranks, o.logical_ranks, o.bank_groups, o.banks_per_group}) {
    if (count > 4096) return rules.require(false, kTooManyBanks);
  }
  // The product of two such counts does not overflow.
  const std::uint64_t groups = std::uint64_t{o.ranks} * o.logical_ranks * o.bank_groups;
  rules.require(groups * o.banks_per_group <= 4096, kTooManyBanks);
  rules.require(o.channels > 1024 || o.channels * std::uint64_t{o.banks_per_channel()} <= 1U << 18,
                "a memory must not have more than 2^18 banks");
  rules.require(o.rows >= 1 && o.rows <= (1U << 30), "a bank must have 1 to 2^30 rows");
  rules.require(o.columns_per_row >= 4 && o.columns_per_row <= (1U << 20),
                "a row must hold 4 to 2^20 accesses");
}

void check_timing(const Timing& t, Rules& rules) {
  bool good = true;
  const auto check = [&](const std::string& what, Cycle value, std::int64_t most,
                         const char* limit) {
    const bool holds = value >= Cycle{1} && value.value <= most;
    good = good && holds;
    rules.require(holds, what + " must be between 1 and " + limit + " cycles, not " +
                             std::to_string(value.value));
  };
  constexpr std::int64_t kMost = 1'000'000;
  constexpr std::int64_t kMostInterval = 1'000'000'000'000;
  for (std::size_t i = 0; i < t.named.size(); ++i) {
    const bool interval = i == t.interval;
    check(t.named[i].name, t.named[i].value, interval ? kMostInterval : kMost,
          interval ? "10^12" : "10^6");
  }
  // The following times are derived from named ones, so they are valid only with those.
  if (!good) return;
  check("a burst", t.burst, kMost, "10^6");
  check("the latency of a read", t.read, kMost, "10^6");
  check("the latency of a write", t.write, kMost, "10^6");
  check("a refresh", t.refresh, kMost, "10^6");
}

/// Whether a controller can work with the commands.
bool check_commands(const ControllerConfig& config, Rules& rules) {
  const std::vector<CommandKind>& kinds = config.commands;
  const auto has = [&](Action action, Reach reach, bool closes = false) {
    return find_command(kinds, {action, reach, closes}).has_value();
  };
  const bool good = kinds.size() <= kCommands && has(Action::kOpen, Reach::kBank) &&
                    has(Action::kRead, Reach::kBank) && has(Action::kWrite, Reach::kBank) &&
                    has(Action::kClose, Reach::kBank) && has(Action::kClose, Reach::kRank);
  rules.require(good,
                "a channel must have up to 16 commands, among them those that open, read, write "
                "and close a bank and one that closes a rank");
  rules.require(
      !config.data_clock ||
          (has(Action::kSyncRead, Reach::kBank) && has(Action::kSyncWrite, Reach::kBank)),
      "a channel with a data clock must have commands that start it for reads and for writes");
  rules.require(!has(Action::kStartOpen, Reach::kBank) || config.activate_within >= Cycle{1},
                "the second command of an activation must be due at least a cycle after the first");
  const bool one_bus = std::ranges::all_of(kinds, [](const auto& kind) { return kind.bus == 0; });
  const bool auto_precharge = config.auto_precharge && config.row_policy == RowPolicyKind::kClosed;
  rules.require(!auto_precharge || (one_bus && config.semantics.refresh_holds_all_banks &&
                                    has(Action::kRead, Reach::kBank, true) &&
                                    has(Action::kWrite, Reach::kBank, true)),
                "auto-precharge needs one command bus, accesses with auto-precharge, and "
                "refreshes that hold all banks");
  if (config.refresh == RefreshKind::kNone) {
    rules.require(!config.refresh_management,
                  "a channel without refresh has no refresh management");
    return good;
  }
  const Reach reach = refresh_reach(config.refresh);
  rules.require(!config.refresh_management || has(Action::kManage, reach),
                "a channel with refresh management must have an RFM for the banks of a refresh");
  const bool refreshes = has(Action::kRefresh, reach) && has(Action::kClose, reach);
  rules.require(refreshes,
                "a channel that refreshes must have a command for it, and one that closes the "
                "same banks");
  return good && refreshes;
}

void check_management(const RefreshManagement& management, Rules& rules) {
  rules.require(management.initial >= 1 && management.initial <= 1'000'000,
                "RAAIMT must be between 1 and 10^6, not " + std::to_string(management.initial));
  rules.require(management.per_refresh <= management.initial,
                "a refresh must not cover more activations than an RFM");
}

void check_refresh(const ControllerConfig& config, Rules& rules) {
  if (config.refresh == RefreshKind::kNone) return;
  if (config.refresh_management) check_management(*config.refresh_management, rules);
  const Reach reach = refresh_reach(config.refresh);
  const Level level = reach == Reach::kRank ? Level::kRank : Level::kBank;
  const Commands commands(config.commands);
  /// Cycles from one command to another; empty without a constraint.
  const auto wait = [&](Command from, Command to) {
    std::optional<Cycle> longest;
    for (const Constraint& row : config.constraints) {
      if (row.from != from || row.to != to || row.level != level) continue;
      longest = std::max(longest.value_or(row.wait), row.wait);
    }
    return longest;
  };
  const Command refresh = commands.refresh(reach);
  rules.require(wait(refresh, commands.activate).has_value(),
                "a channel that refreshes must have a constraint from the refresh to ACT");
  const Cycle closed = wait(commands.close(reach), refresh).value_or(Cycle{});
  const std::string& name = config.timing.named[config.timing.interval].name;
  // Refreshes of single banks overlap but for those of one bank.
  const std::int64_t turns = reach == Reach::kBank ? banks_in_turn(config) : 1;
  rules.require(Cycle{config.refresh_interval.value * turns} > config.timing.refresh + closed,
                "the interval between refreshes, which follows from " + name + ", is " +
                    std::to_string(config.refresh_interval.value) +
                    " cycles; it must be longer than a refresh of " +
                    std::to_string(config.timing.refresh.value) + " cycles and the " +
                    std::to_string(closed.value) +
                    " cycles of the precharge before it, or nothing but refreshes would happen");
  rules.require(
      config.refresh_elapsed == Cycle{} ||
          (config.refresh_elapsed > Cycle{} && config.refresh_elapsed < config.refresh_interval),
      "a run begins before the first refresh is due");
}

}  // namespace

std::vector<std::string> broken_rules(const ControllerConfig& config) {
  Rules rules;
  check_organization(config.organization, rules);
  check_timing(config.timing, rules);
  if (check_commands(config, rules)) check_refresh(config, rules);
  if (auto why = refuses(config.constraints, config.commands)) {
    rules.require(false, *std::move(why));
  }
  const QueueSizes& q = config.queues;
  for (const auto& [what, size] : {std::pair{"nominal", q.nominal}, std::pair{"read", q.read},
                                   std::pair{"write", q.write}, std::pair{"active", q.active}}) {
    rules.require(size >= 1 && size <= 4096, std::string("the ") + what +
                                                 " queue size must be between 1 and 4096, not " +
                                                 std::to_string(size));
  }
  const float low = config.write_low_watermark;
  const float high = config.write_high_watermark;
  rules.require(low > 0.0F && low <= high && high <= 1.0F,
                "write watermarks must satisfy 0 < low <= high <= 1, or writing never ends");
  rules.require(config.closed_row_cap >= 1, "the cap of the closed row policy must be at least 1");
  return std::move(rules).broken();
}

std::optional<std::string> validate(const ControllerConfig& config) {
  std::optional<std::string> all;
  for (const std::string& rule : broken_rules(config)) {
    all = all ? *all + "; " + rule : rule;
  }
  return all;
}

}  // namespace neardata::dram
