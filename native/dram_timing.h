// SPDX-License-Identifier: Apache-2.0
//
// DRAM timing as JavaScript gives it: {nBL, nCL, ...} in cycles. Every parameter that the model
// knows must be there.
#pragma once

#include "dram/timing.h"
#include "reader.h"

namespace neardata::native {

dram::Timing read_dram_timing(const Reader& from);

}  // namespace neardata::native
