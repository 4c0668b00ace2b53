// SPDX-License-Identifier: Apache-2.0
//
// The Verilated NDP unit as a component. It runs the RTL clock by clock and skips the clocks in
// which the RTL is quiet and nothing arrives. A failed assertion ends the run as an error that
// names the scope; so does anything that the unit gives and that no unit can: the end of a
// descriptor that it does not have, a tag twice. Addresses are checked where the memory is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "rtl/plugin.h"
#include "rtl/trace_window.h"
#include "unit/ndp_handshake.h"
#include "unit/ndp_unit.h"

namespace neardata::rtl {

class RtlNdpUnit final : public unit::NdpUnit, private core::Evaluation {
 public:
  /// The plug-in outlives the unit.
  RtlNdpUnit(core::Placement place, const NdpPlugin& plugin, std::size_t bins,
             std::optional<TraceWindow> trace);

  void declare(core::PortList& ports) override { handshake_.declare(ports); }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] core::Evaluation* evaluation() override { return this; }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    return handshake_.waits_for();
  }
  [[nodiscard]] std::uint64_t progress() const override { return handshake_.transfers(); }
  void finish(core::Cycle end) override;
  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }

 private:
  struct Destroy {
    const NeardataNdpPlugin* api;
    void operator()(NeardataNdp* unit) const { api->destroy(unit); }
  };

  /// The clock edge; its outputs are exchanged at the next one.
  void evaluate() override { alive_ = api_->step(unit_.get(), &inputs_, &outputs_); }
  [[nodiscard]] core::Expected<core::Fs> evaluated(core::Fs now) override;

  void skip_to(core::Cycle cycle);
  void fill_inputs();
  [[nodiscard]] core::Expected<void> check_outputs(core::Fs now) const;
  void follow_tags();
  [[nodiscard]] core::Expected<void> check_rules(core::Fs now) const;
  [[nodiscard]] core::Expected<void> trace(core::Cycle cycle);
  [[nodiscard]] core::Fs next_work() const;
  [[nodiscard]] core::SimError failure(core::Fs now) const;

  const NeardataNdpPlugin* api_;
  unit::NdpHandshake handshake_;
  std::optional<TraceWindow> window_;
  bool tracing_ = false;
  NeardataNdpInputs inputs_{};
  NeardataNdpOutputs outputs_{};
  core::EdgeCursor cursor_;               ///< the first edge not executed yet
  std::vector<std::vector<bool>> asked_;  ///< by stream and tag: there is no answer yet
  std::int64_t skipped_ = 0;
  bool alive_ = true;
  std::unique_ptr<NeardataNdp, Destroy> unit_;
};

}  // namespace neardata::rtl
