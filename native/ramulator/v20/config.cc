// SPDX-License-Identifier: Apache-2.0
#include "ramulator/v20/config.h"

#include <algorithm>
#include <bit>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "ramulator/channel.h"
#include "ramulator/v20/parts.h"

namespace neardata::native::ramulator {

namespace {

constexpr std::uint32_t kLargest = std::numeric_limits<int>::max();
constexpr std::uint32_t kBurstLength = 16;
/// Any device that matches the counts is valid: only its own check uses it.
constexpr std::uint32_t kDeviceBits = 8;
/// A rate that its tables contain, so that the lookup is defined before our values replace the
/// result.
constexpr std::uint32_t kRate = 3200;

/// The mapper of this name; nothing for mappings that Ramulator does not have.
std::optional<std::string_view> mapper_of(dram::Mapping mapping) {
  switch (mapping) {
    case dram::Mapping::kRoBaRaCoCh:
      return "RoBaRaCoCh";
    case dram::Mapping::kChRaBaRoCo:
      return "ChRaBaRoCo";
    case dram::Mapping::kMop4ClXor:
      return "MOP4CLXOR";
    default:
      return std::nullopt;
  }
}

std::string organization(const dram::Organization& o) {
  const std::uint32_t columns = o.columns_per_row * o.burst_length;
  const std::uint64_t bits =
      std::uint64_t{o.bank_groups} * o.banks_per_group * o.rows * columns * kDeviceBits;
  std::ostringstream out;
  out << "{channel_width: " << o.channel_bits << ", dq: " << kDeviceBits
      << ", density: " << (bits >> 20U) << ", channel: 1, rank: " << o.ranks
      << ", bankgroup: " << o.bank_groups << ", bank: " << o.banks_per_group << ", row: " << o.rows
      << ", column: " << columns << "}";
  return out.str();
}

/// Timings of DDR5 by the names that both have.
std::string timing(const dram::Timing& t) {
  std::ostringstream out;
  out << "{rate: " << kRate;
  for (const auto& [name, value] : t.named) out << ", " << name << ": " << value.value;
  // Commands that its generic controller never sends; they have to have a value.
  for (const char* name : {"nRFC2", "nRFM1", "nRFM2", "nRFMsb", "nDRFMab", "nDRFMsb"}) {
    out << ", " << name << ": 1";
  }
  out << "}";
  return out.str();
}

std::string controller(const dram::ControllerConfig& config) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<float>::max_digits10);
  out << "{impl: Generic, wr_low_watermark: " << config.write_low_watermark
      << ", wr_high_watermark: " << config.write_high_watermark << ", Scheduler: {impl: FRFCFS}";
  const bool refreshed = config.refresh == dram::RefreshKind::kAllBank;
  out << ", RefreshManager: {impl: " << (refreshed ? "AllBank" : kNoRefresh) << "}";
  if (config.row_policy == dram::RowPolicyKind::kClosed) {
    out << ", RowPolicy: {impl: ClosedRowPolicy, cap: " << std::min(config.closed_row_cap, kLargest)
        << "}";
  } else {
    out << ", RowPolicy: {impl: OpenRowPolicy}";
  }
  out << ", plugins: [{ControllerPlugin: {impl: " << kCommandTap << "}}]}";
  return out.str();
}

std::string mapper(std::uint32_t channels, const dram::ChannelPlace& place) {
  std::ostringstream out;
  out << "{impl: " << kChannelMapper << ", channels: " << channels
      << ", channel: " << place.channel;
  if (const auto name = mapper_of(place.mapping)) out << ", mapper: " << *name;
  out << "}";
  return out.str();
}

}  // namespace

std::optional<std::string> refuses(const dram::ControllerConfig& config) {
  constexpr dram::QueueSizes kQueues = dram::QueueSizes::of(32, dram::kRamulator20);
  const dram::QueueSizes& q = config.queues;
  if (config.semantics != dram::kRamulator20) {
    return "the backend ramulator2 is Ramulator 2.0, so `semantics` must be ramulator-2.0; for "
           "other "
           "semantics, use the backend native";
  }
  if (q.nominal != kQueues.nominal || q.read != kQueues.read || q.write != kQueues.write ||
      q.active != kQueues.active) {
    return "the backend ramulator2 has queues of 32 entries, which admit 33";
  }
  if (auto why = refuses_memory(config)) return why;
  if (config.organization.burst_length != kBurstLength) {
    return "the backend ramulator2 has bursts of 16";
  }
  if (!std::has_single_bit(config.organization.rows)) {
    return "the backend ramulator2 needs a number of rows that is a power of two";
  }
  if (config.timing.of("nREFI").value_or(dram::Cycle{}).value > kLargest) {
    return "the backend ramulator2 needs an nREFI below 2^31 cycles";
  }
  return std::nullopt;
}

std::string configuration(const dram::ControllerConfig& config, const dram::ChannelPlace& place) {
  std::ostringstream out;
  out << "Frontend: {impl: GEM5}\n"
      << "MemorySystem:\n"
      << "  impl: GenericDRAM\n"
      << "  clock_ratio: 1\n"
      << "  DRAM:\n"
      << "    impl: DDR5\n"
      << "    org: " << organization(config.organization) << "\n"
      << "    timing: " << timing(config.timing) << "\n"
      << "    RFM: {BRC: 2}\n"
      << "  Controller: " << controller(config) << "\n"
      << "  AddrMapper: " << mapper(config.organization.channels, place) << "\n";
  return out.str();
}

}  // namespace neardata::native::ramulator
