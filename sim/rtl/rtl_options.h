// SPDX-License-Identifier: Apache-2.0
//
// How the RTL of a run is run: which cycles are kept as a waveform, and whether it is checked.
#pragma once

#include <optional>
#include <string>

#include "core/time.h"

namespace neardata::rtl {

/// A waveform of the cycles [from, to).
struct TraceWindow {
  std::string path;
  core::Cycle from;
  core::Cycle to;
};

struct RtlOptions {
  std::optional<TraceWindow> trace;
  bool checked = false;  ///< skip no cycle: whether nothing changes there is seen, not believed
};

}  // namespace neardata::rtl
