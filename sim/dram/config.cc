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
  for (const std::uint32_t count : {o.ranks, o.bank_groups, o.banks_per_group}) {
    if (count > 4096) return rules.require(false, kTooManyBanks);
  }
  rules.require(std::uint64_t{o.ranks} * o.bank_groups * o.banks_per_group <= 4096, kTooManyBanks);
  rules.require(o.channels > 1024 || o.channels * std::uint64_t{o.banks_per_channel()} <= 1U << 18,
                "a memory must not have more than 2^18 banks");
  rules.require(o.rows >= 1 && o.rows <= (1U << 30), "a bank must have 1 to 2^30 rows");
  rules.require(o.columns_per_row >= 4 && o.columns_per_row <= (1U << 20),
                "a row must hold 4 to 2^20 accesses");
}

void check_timing(const Timing& t, Rules& rules) {
  const std::pair<const char*, Cycle> values[] = {
      {"nBL", t.nBL},           {"nCL", t.nCL},           {"nRCD", t.nRCD},
      {"nRP", t.nRP},           {"nRAS", t.nRAS},         {"nRC", t.nRC},
      {"nWR", t.nWR},           {"nRTP", t.nRTP},         {"nCWL", t.nCWL},
      {"nCCDS", t.nCCDS},       {"nCCDS_WR", t.nCCDS_WR}, {"nCCDS_WTR", t.nCCDS_WTR},
      {"nCCDL", t.nCCDL},       {"nCCDL_WR", t.nCCDL_WR}, {"nCCDL_WTR", t.nCCDL_WTR},
      {"nRRDS", t.nRRDS},       {"nRRDL", t.nRRDL},       {"nFAW", t.nFAW},
      {"nRFC1", t.nRFC1},       {"nPPD", t.nPPD},         {"nRFCsb", t.nRFCsb},
      {"nREFSBRD", t.nREFSBRD}, {"nCS", t.nCS},
  };
  for (const auto& [what, value] : values) {
    rules.require(value >= Cycle{1} && value <= Cycle{1'000'000},
                  std::string(what) + " must be between 1 and 10^6 cycles, not " +
                      std::to_string(value.value));
  }
  rules.require(t.nREFI >= Cycle{1} && t.nREFI <= Cycle{1'000'000'000'000},
                "nREFI must be between 1 and 10^12 cycles, not " + std::to_string(t.nREFI.value));
}

bool has_refresh_time(const ControllerConfig& config) {
  const bool same = config.refresh == RefreshKind::kSameBank;
  const Command refresh = same ? Command::kRefreshSame : Command::kRefreshAll;
  const Level level = same ? Level::kBank : Level::kRank;
  return std::ranges::any_of(config.constraints, [&](const Constraint& row) {
    return row.from == refresh && row.to == Command::kActivate && row.level == level;
  });
}

void check_refresh(const ControllerConfig& config, Rules& rules) {
  const Timing& t = config.timing;
  rules.require(config.refresh == RefreshKind::kNone || has_refresh_time(config),
                "a channel that refreshes must have a constraint from the refresh to ACT");
  if (config.refresh == RefreshKind::kAllBank) {
    rules.require(config.refresh_interval > t.nRFC1 + t.nRP,
                  "nREFI must be longer than nRFC1 + nRP, or nothing but refreshes would happen");
  }
  if (config.refresh == RefreshKind::kSameBank) {
    rules.require(config.refresh_interval > t.nRFCsb + t.nRP,
                  "nREFI / 2 / banks per group must be longer than nRFCsb + nRP, or nothing but "
                  "refreshes would happen");
  }
  rules.require(
      config.refresh == RefreshKind::kNone || config.refresh_elapsed == Cycle{} ||
          (config.refresh_elapsed > Cycle{} && config.refresh_elapsed < config.refresh_interval),
      "a run begins before the first refresh is due");
}

}  // namespace

std::vector<std::string> broken_rules(const ControllerConfig& config) {
  Rules rules;
  check_organization(config.organization, rules);
  check_timing(config.timing, rules);
  check_refresh(config, rules);
  if (auto why = refuses(config.constraints)) rules.require(false, *std::move(why));
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
