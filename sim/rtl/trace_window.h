// SPDX-License-Identifier: Apache-2.0
//
// Which cycles of a run to keep as a waveform.
#pragma once

#include <string>

#include "core/time.h"

namespace neardata::rtl {

/// A waveform of the cycles [from, to).
struct TraceWindow {
  std::string path;
  core::Cycle from;
  core::Cycle to;
};

}  // namespace neardata::rtl
