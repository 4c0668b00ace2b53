// SPDX-License-Identifier: Apache-2.0
//
// What a session's handle holds. `machine` and `running` belong to the JS thread, except that a run
// in progress uses the machine on its own threads while `running` keeps everybody else away.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "core/clock.h"
#include "system/csd_machine.h"

namespace neardata::native {

struct CsdSessionState {
  CsdSessionState(const core::Clock& engine_clock, std::optional<rtl::SparfPlugin> loaded)
      : plugin(std::move(loaded)), clock(engine_clock) {}

  std::optional<rtl::SparfPlugin> plugin;     ///< of the engines, for RTL
  std::optional<system::CsdMachine> machine;  ///< none once closed
  core::Clock clock;
  bool running = false;
  /// Shared, because reports of a run that are under way to JavaScript may outlive the session.
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace neardata::native
