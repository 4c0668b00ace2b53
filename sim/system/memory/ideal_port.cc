// SPDX-License-Identifier: Apache-2.0
#include "system/memory/ideal_port.h"

#include <algorithm>

namespace neardata::system {

using core::Cycle;

Cycle IdealPort::on_bus(Cycle now) {
  bus_end_ = std::max(now + config_.latency, bus_end_ + config_.burst_cycles);
  return bus_end_;
}

bool IdealPort::offer_read(const core::ReadRequest& request, Cycle now) {
  if (reads_ < config_.answers) answer(request, on_bus(now), core::kBurstBytes);
  ++reads_;
  return true;
}

bool IdealPort::offer_write(const WriteRequest& write, Cycle now) {
  ++writes_;
  written(on_bus(now), core::kBurstBytes,
          write.background ? std::optional(write.tag) : std::nullopt);
  return true;
}

PortCounters IdealPort::counters() const {
  return {.read_bursts = reads_,
          .write_bursts = writes_,
          .bus_cycles = static_cast<std::int64_t>(reads_ + writes_) * config_.burst_cycles.value};
}

}  // namespace neardata::system
