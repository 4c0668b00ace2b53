// SPDX-License-Identifier: Apache-2.0
//
// What a session's handle holds. `dimm` and `running` belong to the JS thread, except that a run in
// progress uses `dimm` on its own thread while `running` keeps everybody else away.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "core/clock.h"
#include "system/ndp_dimm.h"

namespace neardata::native {

struct NdpSessionState {
  NdpSessionState(system::NdpDimm machine, const core::Clock& clock, std::uint64_t of_stream,
                  std::optional<unit::NdpParameters> model)
      : dimm(std::move(machine)), unit_clock(clock), bursts(of_stream), modelled(model) {}

  std::optional<system::NdpDimm> dimm;  ///< nothing once closed
  core::Clock unit_clock;
  std::uint64_t bursts;                         ///< that a stream's sub-channel has
  std::optional<unit::NdpParameters> modelled;  ///< of the cycle model; RTL asserts its own rules
  bool running = false;
  /// Shared, because reports of a run that are under way to JavaScript may outlive the session.
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace neardata::native
