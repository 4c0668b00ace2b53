// SPDX-License-Identifier: Apache-2.0
//
// The cycle model of the NDP unit as a component: the same handshakes in the same cycles as the
// Verilated one, and no values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/clock.h"
#include "unit/ndp/ndp_cycle.h"
#include "unit/ndp/ndp_handshake.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

class CycleNdpUnit final : public unit::NdpUnit {
 public:
  CycleNdpUnit(core::Placement place, const unit::NdpParameters& parameters, std::size_t bins)
      : NdpUnit(std::move(place), bins),
        model_(parameters, events_),
        handshake_(parameters.streams, parameters.queue_bursts),
        cursor_(clock()) {}

  void declare(core::PortList& ports) override { handshake_.declare(ports); }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    return handshake_.waits_for();
  }
  [[nodiscard]] std::uint64_t progress() const override { return handshake_.transfers(); }
  void finish(core::Cycle end) override {
    model_.finish(static_cast<unit::NdpCycle::Cycle>(end.value));
  }
  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }

 private:
  [[nodiscard]] core::Fs next_work() const;

  unit::NdpCycle model_;
  unit::NdpCycleInputs inputs_;
  unit::NdpHandshake handshake_;
  core::EdgeCursor cursor_;  ///< the first edge not executed yet
  std::int64_t skipped_ = 0;
};

}  // namespace neardata::system
