// SPDX-License-Identifier: Apache-2.0
//
// A memory without banks: every read is answered in order, a fixed number of cycles after its
// acceptance, at most at the burst rate. A comparison with the DDR5 model shows the cost of the
// memory; impossible parameters test the guards.
#pragma once

#include <limits>
#include <utility>

#include "system/memory/memory_port.h"

namespace neardata::system {

struct IdealConfig {
  core::Cycle latency;       ///< request to last data
  core::Cycle burst_cycles;  ///< between two bursts
  /// Reads after this many are never answered: a broken memory, for tests of deadlock.
  std::uint64_t answers = std::numeric_limits<std::uint64_t>::max();
};

class IdealPort final : public MemoryPort {
 public:
  IdealPort(core::Placement place, const MemoryPortSetup& setup, const IdealConfig& config)
      : MemoryPort(std::move(place), setup, config.latency), config_(config) {}

  [[nodiscard]] std::string_view kind() const override { return "ideal sub-channel"; }
  [[nodiscard]] PortCounters counters() const override;

 protected:
  core::Cycle advance(core::Cycle to, bool) override { return to; }
  [[nodiscard]] bool offer_read(const core::ReadRequest& request, core::Cycle now) override;
  [[nodiscard]] bool offer_write(const WriteRequest& request, core::Cycle now) override;
  [[nodiscard]] std::optional<core::Cycle> next_event() override { return std::nullopt; }

 private:
  /// The cycle in which a burst that is requested at `now` has crossed the bus.
  [[nodiscard]] core::Cycle on_bus(core::Cycle now);

  IdealConfig config_;
  core::Cycle bus_end_{-1'000'000};
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace neardata::system
