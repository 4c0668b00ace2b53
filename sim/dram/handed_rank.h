// SPDX-License-Identifier: Apache-2.0
//
// A rank that a controller has left, for the next one of its banks.
#pragma once

#include "dram/types.h"

namespace neardata::dram {

/// The first cycles in which others may send a command; nRP from a PREA is a cycle shorter to an
/// ACT, which takes two cycles on the bus.
struct HandedRank {
  Cycle activate;
  Cycle refresh;
};

}  // namespace neardata::dram
