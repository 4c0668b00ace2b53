// SPDX-License-Identifier: Apache-2.0
//
// Exports of the addon for single memories and links, and other synchronous calls.
#pragma once

#include <tuple>

#include "api/dram_calls.h"
#include "api/flash/flash_calls.h"
#include "api/head_calls.h"
#include "api/link_calls.h"
#include "core/record.h"

namespace neardata::api {

inline constexpr std::tuple kCalls{core::Sessions<ReplaySession>{"dramReplay"},
                                   core::Call{"dramReadyAt", &ready_at},
                                   core::Call{"flashReplay", &flash_replay, "replay"},
                                   core::Call{"flashChains", &flash_chains, "chains"},
                                   core::Call{"flashReads", &flash_reads, "reads"},
                                   core::Call{"flashKv", &flash_kv, "kv"},
                                   core::Call{"hta1", &hta1},
                                   core::Call{"cxlStream", &cxl_stream, "stream"}};

}  // namespace neardata::api
