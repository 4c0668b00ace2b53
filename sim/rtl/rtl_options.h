// SPDX-License-Identifier: Apache-2.0
//
// Options of a run of RTL: the cycles to record as a waveform, and whether assertions are checked.
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
  bool checked = false;  ///< skip no cycle: verify that nothing changes in quiet cycles
};

}  // namespace neardata::rtl
