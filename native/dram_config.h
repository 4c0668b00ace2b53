// SPDX-License-Identifier: Apache-2.0
//
// A DDR5 sub-channel of one rank as JavaScript describes it: {bankGroups, banksPerGroup, rows,
// columnsPerRow, pins, mapping, refresh: "AllBank" | "None", queueEntries, timing: {nCL, ...}}.
// Every timing that the model knows must be there.
#pragma once

#include "reader.h"
#include "system/dram_port.h"

namespace neardata::native {

system::DramConfig read_dram_config(const Reader& from);

}  // namespace neardata::native
