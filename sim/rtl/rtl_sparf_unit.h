// SPDX-License-Identifier: Apache-2.0
//
// The Verilated attention engine as a component. It runs the RTL clock by clock and skips the
// clocks in which the RTL is quiet and nothing arrives. A failed assertion ends the run as an error
// that names the scope; so does anything that the engine gives and that no engine can: of a job
// that it does not have, of a slot, a dimension or a token that there is none of. Pages and lines
// are checked where they are asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "rtl/beat_stream.h"
#include "rtl/plugin.h"
#include "rtl/trace_window.h"
#include "unit/sparf_events.h"
#include "unit/sparf_unit.h"

namespace neardata::rtl {

class RtlSparfUnit final : public unit::SparfUnit, private core::Evaluation {
 public:
  /// Plug-in and observer outlive the unit.
  RtlSparfUnit(core::Placement place, const SparfPlugin& plugin, unit::SparfObserver& observer,
               std::optional<TraceWindow> trace);

  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] core::Evaluation* evaluation() override { return this; }
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return transfers_; }
  void finish(core::Cycle end) override;
  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }

 private:
  struct Destroy {
    const NeardataSparfPlugin* api;
    void operator()(NeardataSparf* engine) const { api->destroy(engine); }
  };

  /// The clock edge; its outputs are exchanged at the next one.
  void evaluate() override { alive_ = api_->step(engine_.get(), &inputs_, &outputs_); }
  [[nodiscard]] core::Expected<core::Fs> evaluated(core::Fs now) override;

  [[nodiscard]] core::Expected<void> skip_to(core::Cycle cycle);
  /// A job at work, as its descriptor named it.
  struct Job {
    std::uint16_t tag = 0;
    std::uint32_t head = 0;
  };
  /// The head in a slot of a kernel, and how much was chosen for it.
  struct Chosen {
    std::uint16_t tag = 0;
    std::uint32_t dims = 0;
    std::uint32_t tokens = 0;
  };

  [[nodiscard]] core::Expected<void> count_outputs();
  [[nodiscard]] core::Expected<void> check_outputs(core::Fs now) const;
  void exchange(core::Fs now);
  void give(core::Fs now);
  void take_beats(core::Fs now);
  [[nodiscard]] core::Expected<void> observe();
  [[nodiscard]] core::Expected<void> observe(const NeardataSparfSeen& seen,
                                             std::vector<Chosen>& slots);
  [[nodiscard]] core::Expected<void> trace();
  [[nodiscard]] core::Fs next_work() const;
  [[nodiscard]] core::SimError failure() const;

  const NeardataSparfPlugin* api_;
  unit::SparfObserver& observer_;
  std::optional<TraceWindow> window_;
  bool tracing_ = false;
  std::vector<BeatStream> streams_;          ///< by channel
  std::vector<std::vector<Chosen>> chosen_;  ///< by kernel and slot
  unit::SparfDescriptor descriptor_{};
  unit::DramLine line_{};
  NeardataSparfInputs inputs_{};
  NeardataSparfOutputs outputs_{};
  core::EdgeCursor cursor_;  ///< the first edge not executed yet
  std::int64_t skipped_ = 0;
  std::uint64_t transfers_ = 0;
  bool alive_ = true;
  std::vector<Job> jobs_;
  std::unique_ptr<NeardataSparf, Destroy> engine_;
};

}  // namespace neardata::rtl
