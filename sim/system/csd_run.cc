// SPDX-License-Identifier: Apache-2.0
#include "system/csd_run.h"

#include "core/clock.h"

namespace neardata::system {

core::EngineLimits run_limits(const CsdConfig& config, const CsdRunOptions& options,
                              core::Fs idle) {
  // A silent channel is waited for, and erases take milliseconds.
  constexpr core::Fs kPatience{100'000'000'000'000};
  core::EngineLimits limits;
  limits.stalled = kPatience + idle;
  limits.until = kEndOfTime;
  const core::Clock clock(config.clock);
  if (options.max_cycles.value > 0 && options.max_cycles < clock.at_or_after(kEndOfTime)) {
    limits.until = clock.edge(options.max_cycles);
  }
  return limits;
}

}  // namespace neardata::system
