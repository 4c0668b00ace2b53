// SPDX-License-Identifier: Apache-2.0
//
// What runs of several kinds have in common: the threads that do them at most (without them as many
// as this machine has), stalls {seed, probability}, the waveform {path, from, to} of the RTL, in
// cycles, and whether the RTL is checked.
#pragma once

#include <algorithm>
#include <thread>

#include "reader.h"
#include "rtl/rtl_options.h"
#include "system/pauses.h"

namespace neardata::native {

[[nodiscard]] inline std::uint32_t read_threads(const Reader& from) {
  if (from.has("threads")) return from.whole32("threads", limits::kThreads);
  return std::max(1U, std::thread::hardware_concurrency());
}

[[nodiscard]] inline system::PauseConfig read_stalls(const Reader& from) {
  return {.seed = static_cast<std::uint64_t>(from.whole("seed", limits::kExact)),
          .probability = from.real("probability", limits::kPauses)};
}

[[nodiscard]] inline rtl::TraceWindow read_waveform(const Reader& from) {
  return {.path = from.text("path"),
          .from = core::Cycle{from.whole("from", limits::kExact)},
          .to = core::Cycle{from.whole("to", limits::kExact)}};
}

[[nodiscard]] inline rtl::RtlOptions read_rtl_options(const Reader& run) {
  rtl::RtlOptions options;
  if (run.has("waveform")) options.trace = read_waveform(run.object("waveform"));
  if (run.has("checked")) options.checked = run.flag("checked");
  return options;
}

}  // namespace neardata::native
