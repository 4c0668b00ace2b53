// SPDX-License-Identifier: Apache-2.0
//
// What runs of both kinds of session have in common: stalls {seed, probability} and the waveform
// {path, from, to} of the RTL, in cycles.
#pragma once

#include "reader.h"
#include "rtl/trace_window.h"
#include "system/pauses.h"

namespace neardata::native {

[[nodiscard]] inline system::PauseConfig read_stalls(const Reader& from) {
  return {.seed = static_cast<std::uint64_t>(from.whole("seed", limits::kExact)),
          .probability = from.real("probability", limits::kPauses)};
}

[[nodiscard]] inline rtl::TraceWindow read_waveform(const Reader& from) {
  return {.path = from.text("path"),
          .from = core::Cycle{from.whole("from", limits::kExact)},
          .to = core::Cycle{from.whole("to", limits::kExact)}};
}

}  // namespace neardata::native
