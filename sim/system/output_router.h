// SPDX-License-Identifier: Apache-2.0
//
// Takes the unit's output bursts, puts their bytes into the store and sends the write to the
// sub-channel that it belongs to, which has so many of them. At most one burst a cycle of the
// unit's clock, watched by a guard that knows the wires of the unit's output port.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/component.h"
#include "core/guard.h"
#include "system/byte_store.h"
#include "system/memory_port.h"
#include "system/pauses.h"
#include "unit/ndp_unit.h"

namespace neardata::system {

class OutputRouter final : public core::Component {
 public:
  OutputRouter(const core::Clock& clock, core::BusRate port, core::Channel<unit::WriteBurst>& input,
               std::vector<core::Channel<WriteRequest>*> outputs, std::vector<ByteStore>& stores,
               std::uint64_t bursts, Pauses pauses);

  [[nodiscard]] std::string_view name() const override { return "output router"; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return routed_; }

 private:
  core::Clock clock_;
  core::Channel<unit::WriteBurst>& input_;
  std::vector<core::Channel<WriteRequest>*> outputs_;
  std::vector<ByteStore>& stores_;
  std::uint64_t bursts_;
  Pauses pauses_;
  core::BusGuard guard_;
  core::Fs rested_;  ///< the next burst is not taken before this
  std::uint64_t routed_ = 0;
};

}  // namespace neardata::system
