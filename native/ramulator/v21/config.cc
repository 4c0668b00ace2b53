// SPDX-License-Identifier: Apache-2.0
#include "ramulator/v21/config.h"

#include <bit>
#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ramulator/channel.h"
#include "ramulator/v21/parts.h"
#include "ramulator21_table.h"

namespace neardata::native::ramulator {

namespace {

using Ramulator::ConfigNode;
using Map = ConfigNode::Map;
using Seq = ConfigNode::Seq;

constexpr std::uint32_t kBurstLength = 16;
constexpr std::uint32_t kLargest = std::numeric_limits<int>::max();
/// Any will do: nothing is worked out from them but rates that are not read.
constexpr int kDeviceBits = 8;
constexpr int kRate = 3200;
constexpr int kPicoseconds = 625;

int number(std::int64_t value) { return static_cast<int>(value); }

/// In Ramulator's order and under its names, which are ours but for those here.
std::vector<int> timings(const dram::Timing& t) {
  const auto of = [&](std::string_view name) {
    const auto value = t.of(name);
    if (!value) throw std::runtime_error("a timing that we do not have: " + std::string(name));
    return *value;
  };
  std::vector<int> cycles;
  for (const std::string& name : kTimingNames) {
    if (name == "rate") {
      cycles.push_back(kRate);
    } else if (name == "tCK_ps") {
      cycles.push_back(kPicoseconds);
    } else if (name == "nWTRS" || name == "nWTRL") {
      cycles.push_back(number((of("nCCD" + name.substr(4) + "_WTR") - t.write_latency()).value));
    } else {
      cycles.push_back(number(of(name == "nRFC" ? "nRFC1" : name).value));
    }
  }
  return cycles;
}

Seq list(const std::vector<int>& values) { return {values.begin(), values.end()}; }

ConfigNode device(const dram::ControllerConfig& config) {
  const dram::Organization& o = config.organization;
  const std::vector<int> cycles = timings(config.timing);
  Seq constraints;
  for (const Constraint& c : kConstraints) {
    constraints.emplace_back(
        Seq{c.level, list(c.previous), list(c.next), c.cycles.of(cycles), c.window, c.others});
  }
  const int columns = number(o.columns_per_row) * number(o.burst_length);
  const Seq counts = {
      1,      number(o.ranks), number(o.bank_groups), number(o.banks_per_group), number(o.rows),
      columns};
  return Map{{"impl", "DDR5"},
             {"org", Map{{"dq", kDeviceBits}, {"count", counts}}},
             {"timing", list(cycles)},
             {"command_cycles", list(kCommandCycles)},
             {"channel_width", number(o.channel_bits)},
             {"read_latency", kReadLatency.of(cycles)},
             {"timing_constraints", constraints}};
}

ConfigNode refresh(const dram::ControllerConfig& config) {
  if (config.refresh != dram::RefreshKind::kAllBank) return Map{{"impl", "NoRefresh"}};
  const std::int64_t ranks = config.organization.ranks;
  const bool together = config.semantics.refresh_all_ranks_at_once || ranks == 1;
  return Map{{"impl", "AllBank"},
             {"scatter_interval", together ? 0 : number(config.refresh_interval.value / ranks)}};
}

std::string decimal(float value) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<float>::max_digits10) << value;
  return out.str();
}

ConfigNode controller(const dram::ControllerConfig& config) {
  return Map{{"impl", "GenericDDR"},
             {"wr_low_watermark", decimal(config.write_low_watermark)},
             {"wr_high_watermark", decimal(config.write_high_watermark)},
             {"read_buffer_size", config.queues.read},
             {"write_buffer_size", config.queues.write},
             {"scheduler", Map{{"impl", "FRFCFS"}}},
             {"refresh_manager", refresh(config)},
             {"row_policy", Map{{"impl", "Open"}}},
             {"addr_mapper", Map{{"impl", "PassThroughAddrMapper"}}},
             {"dram", device(config)},
             {"controller_plugins", Seq{Map{{"impl", kCommandTap}}}}};
}

}  // namespace

std::optional<std::string> refuses(const dram::ControllerConfig& config) {
  dram::Semantics semantics = config.semantics;
  semantics.refresh_all_ranks_at_once = dram::kJedec.refresh_all_ranks_at_once;
  const dram::QueueSizes& q = config.queues;
  if (semantics != dram::kJedec) {
    return "the backend ramulator2 is Ramulator 2.1, so `semantics` must be jedec, which only dram "
           "replay, dram edges and dram bench accept with it; for other semantics, set "
           "RAMULATOR2_DIR "
           "to Ramulator 2.0 or use the backend native";
  }
  if (q.read != q.nominal || q.write != q.nominal) {
    return "the backend ramulator2 has queues that admit as many requests as their size";
  }
  if (auto why = refuses_memory(config)) return why;
  if (config.row_policy == dram::RowPolicyKind::kClosed) {
    return "the backend ramulator2 closes rows with RDA and WRA, which are no commands here";
  }
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

ConfigNode configuration(const dram::ControllerConfig& config) {
  return Map{{"frontend", Map{{"impl", kExternalFrontEnd}}},
             {"memory_system", Map{{"impl", "GenericDRAM"},
                                   {"clock_ratio", 1},
                                   {"channel_mapper", Map{{"impl", kOneChannel}}},
                                   {"controllers", Seq{controller(config)}}}}};
}

}  // namespace neardata::native::ramulator
