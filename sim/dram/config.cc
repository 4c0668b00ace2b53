// SPDX-License-Identifier: Apache-2.0
#include "dram/config.h"

#include <bit>
#include <span>
#include <utility>

namespace neardata::dram {
namespace {

std::optional<std::string> validate_organization(const Organization& o) {
  const std::pair<const char*, std::uint32_t> counts[] = {
      {"channels", o.channels},
      {"ranks", o.ranks},
      {"bank groups", o.bank_groups},
      {"banks per group", o.banks_per_group},
      {"rows", o.rows},
      {"columns per row", o.columns_per_row},
      {"channel bits", o.channel_bits},
      {"burst length", o.burst_length},
  };
  for (const auto& [what, count] : counts) {
    if (!std::has_single_bit(count)) {
      return std::string(what) + " must be a power of two, not " + std::to_string(count);
    }
  }
  if (o.channel_bits < 8) return "a channel must be at least 8 bits wide";
  if (std::uint64_t{o.ranks} * o.bank_groups * o.banks_per_group > 4096) {
    return "a channel must not have more than 4096 banks";
  }
  if (o.rows > (1U << 30)) return "a bank must not have more than 2^30 rows";
  if (o.columns_per_row < 4) return "a row must hold at least 4 accesses";
  return std::nullopt;
}

std::optional<std::string> validate_timing(const Timing& t) {
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
    if (value < Cycle{1} || value > Cycle{1'000'000}) {
      return std::string(what) + " must be between 1 and 10^6 cycles, not " +
             std::to_string(value.value);
    }
  }
  if (t.nREFI < Cycle{1} || t.nREFI > Cycle{1'000'000'000'000}) {
    return "nREFI must be between 1 and 10^12 cycles, not " + std::to_string(t.nREFI.value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> validate(const ControllerConfig& config) {
  if (auto problem = validate_organization(config.organization)) return problem;
  if (auto problem = validate_timing(config.timing)) return problem;
  const Timing& t = config.timing;
  if (config.refresh == RefreshKind::kAllBank && t.nREFI <= t.nRFC1 + t.nRP) {
    return "nREFI must be longer than nRFC1 + nRP, or nothing but refreshes would happen";
  }
  const std::int64_t banks = config.organization.banks_per_group;
  const Cycle each{t.nREFI.value / banks};
  if (config.refresh == RefreshKind::kSameBank && each <= t.nRFCsb + t.nRP) {
    return "nREFI / banks per group must be longer than nRFCsb + nRP, or nothing but refreshes "
           "would happen";
  }
  const QueueSizes& q = config.queues;
  for (const std::uint32_t size : {q.nominal, q.read, q.write, q.active}) {
    if (size == 0 || size > 4096) return "queues must have between 1 and 4096 entries";
  }
  const float low = config.write_low_watermark;
  const float high = config.write_high_watermark;
  if (!(low > 0.0F && low <= high && high <= 1.0F)) {
    return "write watermarks must satisfy 0 < low <= high <= 1, or writing never ends";
  }
  if (config.closed_row_cap == 0) return "the cap of the closed row policy must be at least 1";
  return std::nullopt;
}

}  // namespace neardata::dram
