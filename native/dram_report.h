// SPDX-License-Identifier: Apache-2.0
//
// What the controller of a channel counted, for JavaScript: {commands: {ACT, ...}, reads, writes,
// forwardedReads, readQueueCycles, writeQueueCycles, activeQueueCycles, readLatency, writeLatency,
// banks}. A latency is {count, mean, p50, p99, largest} in cycles; `banks` holds five numbers for
// each bank, rank major: hits, misses, conflicts, RD, WR.
#pragma once

#include <napi.h>

#include "dram/statistics.h"

namespace neardata::native {

Napi::Object dram_report(Napi::Env env, const dram::Statistics& statistics);

}  // namespace neardata::native
