// SPDX-License-Identifier: Apache-2.0
//
// What a run of devices came to, as one plain object; typed arrays are copies that JavaScript owns.
//   jobs      by job of the call 10 numbers: 0 not done, 1 done, 2 unreadable, 3 refused; tokens on
//   flash in
//             embedding order and in token order; pages asked for (token-order K, V,
//             embedding-order K); femtoseconds of sent, taken, done, received
//   outputs, dims, tokens, alpha     of all jobs one behind another
//   ends      by job the end of its part in these four
//   pages     by record 6 numbers: job of the call, kind, index, channel, asked, arrived
//   devices   by device: fault, place, message, faultCycle (fault.h); cycles, skipped; end, quiet
//             (femtoseconds); events (totals of the strobes); busCommand, busData (femtoseconds by
//             channel); reads (clean, retried, uncorrectable, dead channel, checksum, corrected
//             bits); writes (pages written, moved, erases, most and least erases of a block, failed
//             programs); dram and link (bytes in, out); times (wall-clock seconds: engine model,
//             flash, DRAM and host; the rest and all of the run)
//   sharedLink  where there is one: bytes in, out; femtoseconds in which it carried any in, out
#pragma once

#include <napi.h>

#include "csd_config.h"

namespace neardata::native {

/// What was asked for and what came of it.
struct CsdRuns {
  std::vector<CsdRunRequest::Place> places;
  system::CsdMachineResult result;
  std::vector<flash::KvCounters> writes;
  double wall_seconds = 0;
};

Napi::Object csd_result_to_js(Napi::Env env, const CsdRuns& runs, const core::Clock& clock);

}  // namespace neardata::native
