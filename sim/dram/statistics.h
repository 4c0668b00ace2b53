// SPDX-License-Identifier: Apache-2.0
//
// The counters of a controller. A request is a hit, a miss or a conflict by the first command sent
// for it: RD or WR, ACT, or PRE. A request whose bank a refresh closed before its first command is
// a miss.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dram/latency_histogram.h"
#include "dram/types.h"

namespace neardata::dram {

struct BankStatistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t reads = 0;   ///< RD issued
  std::uint64_t writes = 0;  ///< WR issued
};

struct Statistics {
  std::array<std::uint64_t, kCommands> commands{};  ///< by Command
  std::uint64_t reads = 0;                          ///< completed, forwarded ones included
  std::uint64_t writes = 0;                         ///< completed
  std::uint64_t forwarded_reads = 0;                ///< answered from the write queue
  std::uint64_t read_queue_cycles = 0;              ///< sum over cycles of reads waiting
  std::uint64_t write_queue_cycles = 0;             ///< sum over cycles of writes waiting
  std::uint64_t active_queue_cycles = 0;            ///< sum over cycles of requests being opened
  LatencyHistogram read_latency;                    ///< admission to completion
  LatencyHistogram write_latency;                   ///< admission to WR
  std::vector<BankStatistics> banks;                ///< rank major, then bank group, then bank
};

}  // namespace neardata::dram
