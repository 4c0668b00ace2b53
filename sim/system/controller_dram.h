// SPDX-License-Identifier: Apache-2.0
//
// The DRAM of a device's controller as ports with a latency and a rate: what is asked for in one
// cycle is taken in that cycle, crosses one bus in order, and a line that is read arrives a latency
// after it was asked for or when the bus has carried it, whichever is later. No banks, no refresh:
// an assumption, watched by guards that know the bus and the latency.
//
// Contents change and are looked at when a request is taken, writes of a cycle before its reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/component.h"
#include "core/guard.h"
#include "system/byte_store.h"
#include "system/csd_types.h"
#include "system/dram_bulk.h"
#include "system/pauses.h"
#include "unit/sparf_unit.h"

namespace neardata::system {

struct DramLinks {
  core::Channel<unit::DramRead>* reads = nullptr;
  core::Channel<unit::DramLine>* lines = nullptr;
  core::Channel<unit::DramWrite>* writes = nullptr;
  std::vector<core::Channel<DramBulk>*> bulks;
};

class ControllerDram final : public core::Component {
 public:
  /// Something lies in `lines` lines of the store; others are nobody's.
  ControllerDram(const DramPortConfig& config, const core::Clock& clock, ByteStore& store,
                 std::uint32_t lines, DramLinks links, Pauses pauses);

  [[nodiscard]] std::string_view name() const override { return "controller DRAM"; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return transfers_; }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  [[nodiscard]] core::Expected<void> cross(core::Fs now, std::uint64_t lines, core::Fs least);
  [[nodiscard]] core::Expected<void> check(std::uint32_t line, core::Fs now) const;
  void write(const unit::DramWrite& write);
  [[nodiscard]] core::Fs next(core::Fs now) const;

  DramPortConfig config_;
  core::Clock clock_;
  ByteStore& store_;
  std::uint32_t lines_;
  DramLinks links_;
  Pauses pauses_;
  core::BusGuard bus_;
  core::LatencyGuard latency_;
  core::Fs free_;    ///< the bus has carried everything
  core::Fs rested_;  ///< no read is taken before this
  Traffic traffic_;
  std::uint64_t transfers_ = 0;
};

}  // namespace neardata::system
