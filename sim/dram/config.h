// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a controller. A config is complete: its caller has looked up the preset,
// applied the overrides and checked the result with `validate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dram/commands.h"
#include "dram/constraints.h"
#include "dram/organization.h"
#include "dram/semantics.h"
#include "dram/timing.h"

namespace neardata::dram {

enum class RowPolicyKind : std::uint8_t { kOpen, kClosed };
enum class RefreshKind : std::uint8_t { kNone, kAllBank, kSameBank, kPerBank };

/// Banks of one refresh command; those of a rank without refresh.
constexpr Reach refresh_reach(RefreshKind kind) {
  switch (kind) {
    case RefreshKind::kSameBank:
      return Reach::kSameBank;
    case RefreshKind::kPerBank:
      return Reach::kBank;
    default:
      return Reach::kRank;
  }
}

/// Which of the ranks is refreshed when.
struct RefreshOrder {
  /// From the refresh of a rank to that of the next one; spread over the interval without.
  std::optional<Cycle> spacing;
  /// Refreshes of one rank after another: all banks of a rank, then those of the next one.
  bool rank_by_rank = false;
};

struct QueueSizes {
  std::uint32_t nominal = 32;  ///< size that the watermarks refer to
  std::uint32_t read = 32;     ///< requests admitted
  std::uint32_t write = 32;    ///< requests admitted
  std::uint32_t active = 32;   ///< requests whose row was opened for them

  /// `nominal` entries each, or one more with Semantics::spare_queue_entry.
  static constexpr QueueSizes of(std::uint32_t nominal, const Semantics& semantics) {
    const std::uint32_t size = nominal + (semantics.spare_queue_entry ? 1 : 0);
    return {nominal, size, size, size};
  }
};

/// Cycles in which commands may begin, if several channels share one command bus round-robin: the
/// first is `phase`, and then one every `period`. A command of two cycles needs a period of two a
/// channel.
struct CommandSlots {
  std::int64_t period = 1;
  std::int64_t phase = 0;

  /// The first slot at `cycle` or later.
  [[nodiscard]] constexpr Cycle from(Cycle cycle) const {
    if (period == 1) return cycle;  // division is slow
    const std::int64_t past = (cycle.value - phase) % period;
    return past == 0 ? cycle : Cycle{cycle.value + period - (past < 0 ? past + period : past)};
  }
};

/// The clock of the data bus (WCK of LPDDR5) stops some cycles after an access. The next access
/// needs a command that starts it again, and follows in the cycle after this command.
struct DataClock {
  Cycle after_read;     ///< from RD to the first cycle without the clock
  Cycle after_write;    ///< from WR
  bool shared = false;  ///< by all ranks; otherwise each rank has its own
};

/// Refresh management, in activations of a bank.
struct RefreshManagement {
  std::uint32_t initial = 1;      ///< of a bank that needs an RFM (RAAIMT)
  std::uint32_t per_refresh = 0;  ///< covered by a refresh of the bank; an RFM covers `initial`
};

struct ControllerConfig {
  Organization organization;
  std::vector<CommandKind> commands;
  Timing timing;
  std::vector<Constraint> constraints;
  Semantics semantics;
  QueueSizes queues;
  float write_low_watermark = 0.2F;   ///< of the nominal size; below it writing ends
  float write_high_watermark = 0.8F;  ///< of the nominal size; above it writing begins
  RowPolicyKind row_policy = RowPolicyKind::kOpen;
  std::uint32_t closed_row_cap = 10'000'000;  ///< accesses after which a closed policy closes
  /// The closed policy is that of Ramulator 2.1: after `closed_row_cap` accesses the next one is an
  /// access with auto-precharge, and a PRE closes the row if it can issue first.
  bool auto_precharge = false;
  /// From the first to the second command of an activation at most, if it has two.
  Cycle activate_within{1};
  std::optional<DataClock> data_clock;  ///< none if it never stops
  RefreshKind refresh = RefreshKind::kAllBank;
  Cycle refresh_interval;  ///< from one refresh command of a rank to the next
  RefreshOrder refresh_order;
  /// RFMs address the banks that a refresh addresses. Without, the controller issues none.
  std::optional<RefreshManagement> refresh_management;
  Cycle refresh_elapsed;   ///< at cycle 0, since the last refresh; below the interval
  bool owns_ranks = true;  ///< at the start; see Controller::release
  CommandSlots slots;
  /// A row is not closed for a request while an older request of its queue hits it.
  bool keeps_hit_rows = false;
  /// A write of an address that another write of the queue has is complete at once.
  bool absorbs_writes = false;
  /// Reads complete in the order in which they were served or answered from a write.
  bool completes_in_order = false;
};

/// Refresh commands after which every bank of a rank had one.
inline std::uint32_t banks_in_turn(const ControllerConfig& config) {
  switch (refresh_reach(config.refresh)) {
    case Reach::kSameBank:
      return config.organization.banks_per_group;
    case Reach::kBank:
      return config.organization.banks_per_rank();
    case Reach::kRank:
      return 1;
  }
  return 1;
}

/// Every rule that `config` breaks, a sentence each.
std::vector<std::string> broken_rules(const ControllerConfig& config);
/// The broken rules as one text; empty if the config is valid.
std::optional<std::string> validate(const ControllerConfig& config);

}  // namespace neardata::dram
