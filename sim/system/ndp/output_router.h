// SPDX-License-Identifier: Apache-2.0
//
// Sends each output burst of the unit to its sub-channel: at most one burst per cycle of the unit's
// clock. A guard checks the rate against the wires of the unit's output port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/guard.h"
#include "core/part.h"
#include "system/memory/memory_port.h"
#include "system/memory/pauses.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

class OutputRouter final : public core::Part {
 public:
  /// `bursts` is the number of bursts of each sub-channel.
  OutputRouter(core::Placement place, core::BusRate port, std::size_t streams, std::uint64_t bursts,
               Pauses pauses);

  [[nodiscard]] std::string_view kind() const override { return "output router"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return routed_; }

 private:
  core::In<core::WriteBurst> input_;
  std::vector<core::Out<WriteRequest>> outputs_;
  std::uint64_t bursts_;
  Pauses pauses_;
  core::BusGuard guard_;
  core::Fs rested_;  ///< the next burst is not accepted before this time
  std::uint64_t routed_ = 0;
};

}  // namespace neardata::system
