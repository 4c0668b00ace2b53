// SPDX-License-Identifier: Apache-2.0
//
// A memory of several channels as JavaScript describes it: the fields of DramReplayConfig in
// src/dram/config.ts, all of them.
#pragma once

#include "dram/memory.h"
#include "reader.h"

namespace neardata::native {

dram::MemoryConfig read_dram_memory(const Reader& from);

}  // namespace neardata::native
