// SPDX-License-Identifier: Apache-2.0
//
// What the NDP unit computes, without any time: reads the tensors of a descriptor from the memory
// and writes its results there, the same bits as the RTL.
#pragma once

#include <functional>

#include "unit/ndp/ndp_memory.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

/// Returns whether to continue; called before every row of a matrix.
using KeepGoing = std::function<bool()>;

/// False when it was stopped: passes over the weights that were not complete wrote nothing.
[[nodiscard]] bool compute_values(const NdpParameters& parameters, const Descriptor& descriptor,
                                  NdpMemory& memory, const KeepGoing& keep_going);

}  // namespace neardata::unit
