// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit and its clock, with words of inputs and outputs: the common part of the bindings
// of all units. Idle cycles are skipped. A checked unit also simulates them; a change of an output
// in such a cycle is a fault of the unit, as is a combinational path from an input to an output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "rtl/plugin.h"
#include "rtl/rtl_options.h"

namespace neardata::rtl {

class RtlUnit {
 public:
  /// The plug-in outlives the unit. `name` is for messages.
  RtlUnit(const UnitPlugin& plugin, const core::Clock& clock, RtlOptions options, std::string name);
  RtlUnit(const RtlUnit&) = delete;
  RtlUnit& operator=(const RtlUnit&) = delete;
  ~RtlUnit() = default;

  /// The words of the present cycle.
  [[nodiscard]] std::uint32_t* inputs() { return inputs_.data(); }
  [[nodiscard]] const std::uint32_t* outputs() const { return outputs_.data(); }
  /// Inputs without any message, and without acceptance of one.
  void clear_inputs() { std::ranges::fill(inputs_, 0U); }

  /// The first cycle not executed yet, and its time.
  [[nodiscard]] core::Cycle cycle() const { return cursor_.cycle(); }
  [[nodiscard]] core::Fs time() const { return cursor_.time(); }
  /// The first edge at or after `now` of those not executed yet.
  [[nodiscard]] core::EdgeCursor edge_from(core::Fs now) const {
    core::EdgeCursor edge = cursor_;
    edge.move_after(now - core::Fs{1});
    return edge;
  }

  /// The present cycle with the inputs as they are: everything before its edge, the edge, and
  /// everything after it.
  [[nodiscard]] core::Expected<void> clock();

  /// Skips cycles in which the unit is quiet and nothing arrives; inputs must be set again.
  [[nodiscard]] core::Expected<void> skip(std::int64_t cycles);
  /// Counts cycles behind the end of a run as skipped.
  void leave(std::int64_t cycles) { skipped_ += cycles; }
  [[nodiscard]] std::int64_t skipped() const { return skipped_; }

 private:
  struct Destroy {
    const NeardataUnitPlugin* api;
    void operator()(NeardataUnit* unit) const { api->destroy(unit); }
  };

  /// Writes a line that the model printed to stderr.
  static void print(void* unit, const char* text, std::uint64_t length);
  [[nodiscard]] core::Expected<void> watch();
  [[nodiscard]] std::unexpected<core::SimError> failure() const;
  [[nodiscard]] core::Expected<void> trace();
  [[nodiscard]] core::Expected<void> check_path();
  [[nodiscard]] core::Expected<void> unchanged(const std::vector<std::uint32_t>& before,
                                               const char* why) const;

  const NeardataUnitPlugin* api_;
  RtlOptions options_;
  std::string name_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  core::EdgeCursor cursor_;  ///< the first edge not executed yet
  std::int64_t skipped_ = 0;
  bool tracing_ = false;
  std::unique_ptr<NeardataUnit, Destroy> unit_;
};

}  // namespace neardata::rtl
