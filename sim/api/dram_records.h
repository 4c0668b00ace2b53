// SPDX-License-Identifier: Apache-2.0
//
// Layouts of memories: commands of a standard, timing, a memory of several channels, a rank's own
// sub-channel, commands of a run.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "api/limits.h"
#include "core/record.h"
#include "core/refusal.h"
#include "dram/backend.h"
#include "dram/statistics.h"
#include "dram/trace/memory.h"
#include "system/memory/dram_port.h"

namespace neardata::dram {

/// Sets the names of timings; their values follow in a separate field.
inline void set_names(Timing& of, const std::string& names) {
  of.named.clear();
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    of.named.push_back({names.substr(at, end - at), {}});
    at = end + 1;
  }
}
inline core::Answer<void> set_values(Timing& of, const std::vector<double>& values) {
  if (values.size() != of.named.size()) return core::misuse("a timing lacks its name or value");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool whole = values[i] == std::floor(values[i]) && std::abs(values[i]) <= 1e15;
    if (!whole) return core::bad_input(of.named[i].name + " is no whole number of cycles");
    of.named[i].value = {static_cast<std::int64_t>(values[i])};
  }
  return {};
}

constexpr auto names_of(const Mapping*) {
  return std::array{"RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR", "RoBaCoBg", "RoCoBaBg"};
}
constexpr auto names_of(const RefreshKind*) {
  return std::array{"None", "AllBank", "SameBank", "PerBank"};
}
constexpr auto names_of(const RowPolicyKind*) {
  return std::array{"OpenRowPolicy", "ClosedRowPolicy"};
}
constexpr auto names_of(const Injection*) { return std::array{"global_fifo", "per_channel_fifo"}; }
constexpr auto names_of(const Action*) {
  return std::array{"open",      "close",    "read",      "write", "refresh",
                    "startOpen", "syncRead", "syncWrite", "manage"};
}
constexpr auto names_of(const Reach*) { return std::array{"bank", "sameBank", "rank"}; }

/// A command of the table of a standard.
constexpr auto record_of(const CommandKind*) {
  using core::field;
  return core::record("DramCommand", field("name", &CommandKind::name),
                      field(
                          "action", [](auto& of) -> auto& { return of.effect.action; }),
                      field(
                          "reach", [](auto& of) -> auto& { return of.effect.reach; }),
                      field("cycles", &CommandKind::cycles, core::Range{1, 64}),
                      core::optional(field("bus", &CommandKind::bus, core::Range{0, 7})),
                      core::optional(field("oddCycles", &CommandKind::odd_cycles)),
                      core::optional(field(
                          "closes", [](auto& of) -> auto& { return of.effect.closes; })),
                      core::optional(field("betweenActivation", &CommandKind::between_activation)));
}

/// Cycles. `names` has a name for each of `values`, with blanks between them; `interval` is the
/// place of the time between refreshes.
constexpr auto record_of(const Timing*) {
  using core::field;
  using Values = std::vector<double>;
  return core::record(
      "DramTiming", field("burst", &Timing::burst, limits::kExact),
      field("read", &Timing::read, limits::kExact), field("write", &Timing::write, limits::kExact),
      field("refresh", &Timing::refresh, limits::kExact),
      core::assigned<std::string>("names", &set_names),
      core::assigned<Values>("values", &set_values), field("interval", &Timing::interval));
}

constexpr auto names_of(const Level*) {
  return std::array{"channel", "rank", "bankGroup", "bank", "logicalRank"};
}
/// A row of the table of a standard for one pair of commands, in cycles between their first cycles.
constexpr auto record_of(const Constraint*) {
  using core::field;
  constexpr core::Range kCommand{0, 255};
  constexpr core::Range kWait{-limits::kExact.most, limits::kExact.most};
  return core::row("DramConstraint",
                   field(
                       "from", [](auto& of) -> auto& { return of.from.number; }, kCommand),
                   field(
                       "to", [](auto& of) -> auto& { return of.to.number; }, kCommand),
                   field("level", &Constraint::level), field("others", &Constraint::others),
                   field("window", &Constraint::window), field("wait", &Constraint::wait, kWait));
}

/// Refresh management, in activations of a bank.
constexpr auto record_of(const RefreshManagement*) {
  using core::field;
  return core::record("DramRefreshManagement", field("initial", &RefreshManagement::initial),
                      field("perRefresh", &RefreshManagement::per_refresh));
}

/// Cycles from an access to the stop of the data clock.
constexpr auto record_of(const DataClock*) {
  using core::field;
  return core::record("DramDataClock", field("afterRead", &DataClock::after_read, limits::kExact),
                      field("afterWrite", &DataClock::after_write, limits::kExact),
                      field("shared", &DataClock::shared));
}

}  // namespace neardata::dram

namespace neardata::api {

/// The two sets of semantics that have names.
enum class SemanticsName : std::uint8_t { kJedec, kRamulator20 };
constexpr auto names_of(const SemanticsName*) { return std::array{"jedec", "ramulator-2.0"}; }

/// A command and its address; -1 for a field that the command does not have.
struct CommandPlace {
  std::int64_t cycle = 0;
  dram::Command command;
  std::int64_t logical_rank = -1;
  std::int64_t bank_group = -1;
  std::int64_t bank = -1;
  std::int64_t row = -1;
  std::int64_t column = -1;
};
[[nodiscard]] CommandPlace place_of(const dram::IssuedCommand& issued);

}  // namespace neardata::api

namespace neardata::system {

/// A sub-channel of one rank.
constexpr auto record_of(const DramConfig*) {
  using core::field;
  constexpr auto organization = [](const char* name, std::uint32_t dram::Organization::*member) {
    return field(
        name, [member](auto& of) -> auto& { return of.controller.organization.*member; });
  };
  using dram::Organization;
  return core::record(
      "DramRank", core::Literal{"kind", "dram"},
      organization("bankGroups", &Organization::bank_groups),
      organization("banksPerGroup", &Organization::banks_per_group),
      organization("rows", &Organization::rows),
      organization("columnsPerRow", &Organization::columns_per_row),
      organization("pins", &Organization::channel_bits),
      core::optional(organization("burstLength", &Organization::burst_length)),
      core::optional(organization("logicalRanks", &Organization::logical_ranks)),
      core::optional(field("portKind", &DramConfig::kind)),
      core::optional(field(
          "activateWithin", [](auto& of) -> auto& { return of.controller.activate_within; },
          limits::kExact)),
      core::optional(core::assigned<dram::DataClock>(
          "dataClock",
          [](DramConfig& of, const dram::DataClock& clock) { of.controller.data_clock = clock; })),
      field("mapping", &DramConfig::mapping),
      field(
          "refresh", [](auto& of) -> auto& { return of.controller.refresh; }),
      field(
          "refreshInterval", [](auto& of) -> auto& { return of.controller.refresh_interval; },
          limits::kRefreshInterval),
      core::optional(core::assigned<dram::RefreshManagement>(
          "refreshManagement",
          [](DramConfig& of, const dram::RefreshManagement& given) {
            of.controller.refresh_management = given;
          })),
      core::optional(field("staggered", &DramConfig::staggered)),
      core::optional(field("sharedCommands", &DramConfig::shared_commands)),
      core::optional(field(
          "refreshStart", [](auto& of) -> auto& { return of.controller.refresh_elapsed; },
          limits::kRefreshInterval)),
      core::assigned<api::SemanticsName>("semantics",
                                         [](DramConfig& of, api::SemanticsName name) {
                                           of.controller.semantics =
                                               name == api::SemanticsName::kJedec
                                                   ? dram::kJedec
                                                   : dram::kRamulator20;
                                         }),
      core::assigned<std::uint32_t>("queueEntries",
                                    [](DramConfig& of, std::uint32_t entries) {
                                      of.controller.queues =
                                          dram::QueueSizes::of(entries, of.controller.semantics);
                                      of.make_channel = dram::backend_channels();
                                    }),
      field(
          "commandKinds", [](auto& of) -> auto& { return of.controller.commands; }),
      field(
          "timing", [](auto& of) -> auto& { return of.controller.timing; }),
      field(
          "constraints", [](auto& of) -> auto& { return of.controller.constraints; }));
}

}  // namespace neardata::system

namespace neardata::dram {

constexpr auto record_of(const Organization*) {
  using core::field;
  return core::record(
      "DramOrganization", field("channels", &Organization::channels),
      field("ranks", &Organization::ranks), field("bankGroups", &Organization::bank_groups),
      field("banksPerGroup", &Organization::banks_per_group), field("rows", &Organization::rows),
      field("columnsPerRow", &Organization::columns_per_row),
      field("channelBits", &Organization::channel_bits),
      field("burstLength", &Organization::burst_length),
      core::optional(field("logicalRanks", &Organization::logical_ranks)),
      core::optional(field("ranksArePseudoChannels", &Organization::ranks_are_pseudo_channels)),
      core::optional(field("channelIsLowest", &Organization::channel_is_lowest)));
}
constexpr auto record_of(const Semantics*) {
  using core::field;
  return core::record(
      "DramSemantics", field("swappedRankSwitch", &Semantics::swapped_rank_switch),
      field("spareQueueEntry", &Semantics::spare_queue_entry),
      field("oneCompletionPerCycle", &Semantics::one_completion_per_cycle),
      field("refreshIgnoresOpenCommands", &Semantics::refresh_ignores_open_commands),
      field("noPrechargeGap", &Semantics::no_precharge_gap),
      field("firstCycleIntervals", &Semantics::first_cycle_intervals),
      field("refreshAllRanksAtOnce", &Semantics::refresh_all_ranks_at_once),
      field("refreshHoldsAllBanks", &Semantics::refresh_holds_all_banks),
      field("noWriteRankGap", &Semantics::no_write_rank_gap),
      field("blockedPickLosesCycle", &Semantics::blocked_pick_loses_cycle),
      field("reordersSameAddress", &Semantics::reorders_same_address));
}
constexpr auto record_of(const QueueSizes*) {
  using core::field;
  return core::record("DramQueues", field("nominal", &QueueSizes::nominal),
                      field("read", &QueueSizes::read), field("write", &QueueSizes::write),
                      field("active", &QueueSizes::active));
}

/// Fields of a memory with several channels, documented in src/kernels/dram/config.ts. A limit of 0
/// accepted requests per cycle means no limit.
constexpr auto memory_fields() {
  using core::field;
  constexpr auto of_channel = [](const char* name, auto member, auto... rule) {
    return field(
        name, [member](auto& of) -> auto& { return of.controller.*member; }, rule...);
  };
  using Config = ControllerConfig;
  const auto accepts = [](MemoryConfig& of, std::uint32_t count) {
    if (count != 0) of.accepts_per_cycle = count;
    of.make_channel = backend_channels();
  };
  const auto spacing = [](MemoryConfig& of, std::uint32_t cycles) {
    of.controller.refresh_order.spacing = Cycle{cycles};
  };
  const auto management = [](MemoryConfig& of, const RefreshManagement& given) {
    of.controller.refresh_management = given;
  };
  const auto clock = [](MemoryConfig& of, const DataClock& given) {
    of.controller.data_clock = given;
  };
  return core::fields(
      of_channel("organization", &Config::organization),
      of_channel("commandKinds", &Config::commands), of_channel("timing", &Config::timing),
      of_channel("constraints", &Config::constraints), of_channel("semantics", &Config::semantics),
      of_channel("queues", &Config::queues),
      of_channel("writeLowWatermark", &Config::write_low_watermark, limits::kShare),
      of_channel("writeHighWatermark", &Config::write_high_watermark, limits::kShare),
      of_channel("rowPolicy", &Config::row_policy),
      of_channel("closedRowCap", &Config::closed_row_cap), of_channel("refresh", &Config::refresh),
      of_channel("refreshInterval", &Config::refresh_interval, limits::kRefreshInterval),
      core::optional(core::assigned<std::uint32_t>("refreshSpacing", spacing)),
      core::optional(field(
          "refreshesRankByRank",
          [](auto& of) -> auto& { return of.controller.refresh_order.rank_by_rank; })),
      core::optional(core::assigned<RefreshManagement>("refreshManagement", management)),
      core::optional(of_channel("autoPrecharge", &Config::auto_precharge)),
      core::optional(of_channel("activateWithin", &Config::activate_within, limits::kExact)),
      core::optional(core::assigned<DataClock>("dataClock", clock)),
      core::optional(of_channel("keepsHitRows", &Config::keeps_hit_rows)),
      core::optional(of_channel("absorbsWrites", &Config::absorbs_writes)),
      core::optional(of_channel("completesInOrder", &Config::completes_in_order)),
      field("mapping", &MemoryConfig::mapping), field("injection", &MemoryConfig::injection),
      core::assigned<std::uint32_t>("acceptsPerCycle", accepts));
}
constexpr auto record_of(const MemoryConfig*) {
  return core::record("DramMemory", memory_fields());
}

constexpr auto record_of(const BankStatistics*) {
  using core::field;
  return core::row(
      "BankCounters", field("hits", &BankStatistics::hits),
      field("misses", &BankStatistics::misses), field("conflicts", &BankStatistics::conflicts),
      field("reads", &BankStatistics::reads), field("writes", &BankStatistics::writes));
}
/// In cycles.
constexpr auto record_of(const LatencyHistogram*) {
  using core::field;
  using Histogram = LatencyHistogram;
  return core::record("DramLatency", field("count", &Histogram::count),
                      field("mean", &Histogram::mean),
                      field("p50", [](const Histogram& of) { return of.quantile(0.5); }),
                      field("p99", [](const Histogram& of) { return of.quantile(0.99); }),
                      field("largest", &Histogram::largest));
}

}  // namespace neardata::dram
