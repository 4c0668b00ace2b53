// SPDX-License-Identifier: Apache-2.0
//
// What the NDP unit computes, without any time: reads the tensors of a descriptor from the memory
// and writes its results there, the same bits as the RTL.
#pragma once

#include "unit/ndp/ndp_memory.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

void compute_values(const NdpParameters& parameters, const Descriptor& descriptor,
                    NdpMemory& memory);

}  // namespace neardata::unit
