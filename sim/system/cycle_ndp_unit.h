// SPDX-License-Identifier: Apache-2.0
//
// The cycle model of the NDP unit as a component: the same handshakes in the same cycles as the
// Verilated one, and no values.
#pragma once

#include <optional>
#include <string>

#include "core/clock.h"
#include "unit/ndp_cycle.h"
#include "unit/ndp_events.h"
#include "unit/ndp_handshake.h"
#include "unit/ndp_unit.h"

namespace neardata::system {

class CycleNdpUnit final : public unit::NdpUnit {
 public:
  /// The events outlive the unit.
  CycleNdpUnit(const unit::NdpParameters& parameters, unit::NdpPorts ports,
               const core::Clock& clock, unit::NdpEvents& events)
      : model_(parameters, events), handshake_(std::move(ports)), events_(events), cursor_(clock) {}

  [[nodiscard]] std::string_view name() const override { return "NDP unit"; }
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
  unit::NdpEvents& events_;
  core::EdgeCursor cursor_;  ///< the first edge not executed yet
  std::int64_t skipped_ = 0;
};

}  // namespace neardata::system
