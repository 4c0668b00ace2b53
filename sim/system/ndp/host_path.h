// SPDX-License-Identifier: Apache-2.0
//
// The path from the host to the buffer chip of a DIMM, and the moments of the host's jobs there.
#pragma once

#include "core/time.h"

namespace neardata::system {

/// Times of the path from the host to a buffer chip.
struct HostPath {
  core::Fs command;  ///< latency of a store from a core to the bus, and of a load's answer back
  core::Fs poll;     ///< interval between two polls of the status
};

/// Moments of the host's jobs on a DIMM.
struct HostSpans {
  core::Fs inputs = core::kNever;     ///< all are in the ranks
  core::Fs commanded = core::kNever;  ///< the buffer chip has the descriptors
  core::Fs ended = core::kNever;      ///< the last job is done
  core::Fs seen = core::kNever;       ///< detection by the host
  core::Fs outputs = core::kNever;    ///< all are at the host
};

}  // namespace neardata::system
